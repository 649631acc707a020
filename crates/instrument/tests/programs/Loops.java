/** Loops of many shapes over arrays of twenty elements; what they access is the same however it is told. */
public class Loops {
    static final int N = 20;
    static long sum;
    final int[] own = fresh();
    int[] changing = fresh();
    int field;
    volatile int careful;

    /** Whatever an agent keeps back comes before what gives order: arrays are numbered as they are made. */
    static synchronized void number() {}

    static int[] fresh() {
        int[] made = new int[N];
        made[0] = 1;
        number();
        return made;
    }

    static long[] longs() {
        long[] made = new long[N];
        made[0] = 1;
        number();
        return made;
    }

    static Object[] objects() {
        Object[] made = new String[N];
        made[0] = "";
        number();
        return made;
    }

    static int line(Exception e) {
        int line = e.getStackTrace()[0].getLineNumber();
        number();
        return line;
    }

    static void up(int[] a) {
        for (int i = 2; i < 17; i++) a[i] = i;
    }

    static void never(int[] a) {
        for (int i = 5; i < 5; i++) a[i] = i;
    }

    static void down(int[] a, long[] b) {
        for (int i = 15; i >= 3; i--) b[i] = a[i + 1];
    }

    static int stencil(int[] s, int[] d) {
        int i = 1;
        for (; i < s.length - 1; i++) d[i] = s[i - 1] + 2 * s[i] + s[1 + i];
        return i;
    }

    static int whileLoop(int[] a) {
        int i = 3, found = 0;
        while (i < 12) {
            found += a[i];
            i++;
        }
        return found + i;
    }

    static int doWhile(int[] a) {
        int i = 4;
        do {
            a[i]++;
            i++;
        } while (i < 9);
        return i;
    }

    static int doWhileDown(int[] a) {
        int i = 9;
        do {
            i--;
            a[i] += 2;
        } while (i > 4);
        return i;
    }

    static int postfix(int[] a, int[] b) {
        int i = 2, j = 6;
        while (i < 10) a[i++] = b[j++];
        return i + j;
    }

    static int prefix(int[] a) {
        int i = 2;
        while (i < 10) a[++i] = i;
        return i;
    }

    static int postfixDown(int[] a, int[] b) {
        int i = 18, j = 10;
        while (i > 12) a[i--] = b[--j];
        return i + j;
    }

    static int stopped(int[] a, int[] b, int at) {
        int i = 0;
        for (; i < N; i++) {
            a[i] = i;
            if (i == at) break;
            b[i] = i;
        }
        return i;
    }

    static int stoppedBefore(int[] a, int at) {
        int seen = 0;
        for (int i = 0; i < N; i++) {
            if (i == at) {
                seen = i;
                break;
            }
            seen += a[i];
        }
        return seen;
    }

    static int continued(int[] a, int[] b, int[] sometimes) {
        int found = 0;
        for (int i = 0; i < N; i++) {
            a[i] = i;
            if (i % 3 == 0) continue;
            sometimes[i] = i;
            found += b[i];
        }
        return found;
    }

    static int continuedWhile(int[] a, int[] b) {
        int i = -1, found = 0;
        while (i < 15) {
            i++;
            found += a[i];
            if ((found & 1) == 0) continue;
            found += b[i];
        }
        return found;
    }

    static int find(int[] a, int value) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] == value) return i;
        }
        return -1;
    }

    static int findAndUse(int[] a, int[] b, int value) {
        for (int i = 0; i < a.length; i++) {
            if (a[i] == value) return b[i] + a[i + 1];
        }
        return -1;
    }

    static void nested(int[] a, int[] b, long[] c) {
        for (int i = 0; i < 6; i++) {
            int found = 0;
            for (int j = i; j < 10; j++) found += a[j] * b[j - i];
            c[i] = found;
        }
    }

    static void nestedStep(int[] a, long[] c) {
        for (int i = 0; i < 6; i++) {
            int found = 0;
            for (int j = 0; j < 10; j += 2) found += a[j];
            c[i] = found;
        }
    }

    static int labelled(int[] a, int[] b) {
        int found = 0;
        outer:
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                found += a[j];
                if (i * j == 12) break outer;
                if (j == 5) continue outer;
                found += b[j];
            }
        }
        return found;
    }

    static void step(int[] a) {
        for (int i = 0; i < N; i += 2) a[i] = 1;
    }

    static int switched(int[] a, int[] b, int at) {
        int found = 0;
        loop:
        for (int i = 0; i < N; i++) {
            a[i] = i - at;
            switch (i - at) {
                case 0:
                    found += 7;
                    break;
                case 1:
                    found += a[i];
                    break;
                case 5:
                    break loop;
                case 9:
                    return found;
                default:
                    found++;
            }
            b[i] = found;
        }
        return found;
    }

    static int switchedOut(int[] a, int[] keys) {
        for (int i = 0; ; i++) {
            int key = a[i];
            switch (keys[i]) {
                case 0:
                    continue;
                case 1:
                    return key;
                case 2:
                    return i;
                default:
                    throw new IllegalStateException("" + i);
            }
        }
    }

    static int chosen(int[] a, int[] b, boolean which) {
        int found = 0;
        for (int i = 0; i < 10; i++) {
            a[i] = which ? i : -i;
            found += (which ? a : b)[i];
        }
        return found;
    }

    static void swapped(int[] a, int[] b) {
        for (int i = 0; i < 10; i++) {
            int[] x = a;
            a = b;
            b = x;
            a[i] = b[i + 1];
        }
    }

    static int moved(int[] a) {
        int found = 0;
        for (int i = 0; i < 15; i++) {
            found += a[i];
            if (found > 5) i = i + 2;
        }
        return found;
    }

    static void objectsMoved(Object[] a, Object[] b) {
        for (int i = 0; i < 12; i++) b[i + 3] = a[i];
    }

    static void called(int[] a) {
        for (int i = 0; i < 12; i++) a[i] = Math.max(i, Integer.parseInt("7"));
    }

    static void mathematical(int[] a, long[] b) {
        for (int i = 0; i < 12; i++) b[i] = Math.max((long) a[i], Math.abs(-3L)) + StrictMath.min(1, i);
    }

    int ownArray() {
        int found = 0;
        for (int i = 3; i < own.length; i++) {
            found += own[i];
            field = found;
        }
        return found;
    }

    int changingArray() {
        int found = 0;
        for (int i = 3; i < changing.length; i++) found += changing[i];
        return found;
    }

    int carefully(int[] a) {
        for (int i = 0; i < 7; i++) careful += a[i];
        return careful;
    }

    static int parameter(int[] a, int i) {
        while (true) {
            if (a[i] != 0) return i;
            i++;
        }
    }

    static long[] prefixSums(int[] a) {
        long[] sums = longs();
        for (int i = 1; i < N; i++) sums[i] = sums[i - 1] + a[i];
        return sums;
    }

    static int twoAfterEachOther(int[] a, int[] b) {
        int i = 0;
        while (i < 6) a[i++] = 1;
        while (i < 11) b[i++] = 1;
        return i;
    }

    static synchronized int synchronizedMethod(int[] a) {
        int i = 0;
        for (; i < 30; i++) a[i] = 1;
        return i;
    }

    static int synchronizedBlock(int[] a, Object lock) {
        int i = 0;
        synchronized (lock) {
            for (; i < 30; i++) a[i] = 1;
        }
        return i;
    }

    static int caughtOutside(int[] a, int[] b, String text) {
        int i = 0;
        String shown = text;
        try {
            for (i = 3; i < 30; i++) {
                b[i - 3] = a[i];
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            shown = text + e.getMessage() + line(e);
        } finally {
            i += 100;
        }
        System.out.println(shown + i);
        return i;
    }

    static int caughtTwice(int[] a, int[] b) {
        int i = 0;
        try {
            try {
                while (i < 30) b[i] = 100 / a[i++];
            } catch (NullPointerException e) {
                return -1;
            }
        } catch (ArithmeticException e) {
            return i;
        } finally {
            System.out.println("finally " + i);
        }
        return -2;
    }

    static int caughtWithin(int[] a, int[] b) {
        int i = 0;
        for (; i < N + 4; i++) {
            try {
                a[i] = i;
            } catch (ArrayIndexOutOfBoundsException e) {
                break;
            }
            b[i] = i;
        }
        return i;
    }

    static int caughtAndWentOn(int[] a, int[] b) {
        int failed = 0;
        for (int i = -3; i < N + 4; i++) {
            try {
                a[i] = b[i];
            } catch (ArrayIndexOutOfBoundsException e) {
                failed++;
            }
        }
        return failed;
    }

    static int afterTheIncrement(int[] a, int[] b, int[] c) {
        int i = 1;
        while (i < 40) {
            int x = a[i - 1];
            i++;
            b[i - 1] = x;
            c[i - 2] = x;
        }
        return i;
    }

    static int noArray(int[] a, int[] none) {
        int i = 2;
        for (; i < 9; i++) none[i] = a[i];
        return i;
    }

    static void negative(int[] a) {
        for (int i = 3; ; i--) a[i] = i;
    }

    static void wraps(int[] a) {
        for (int i = Integer.MAX_VALUE - 3; i != Integer.MIN_VALUE + 3; i++) a[i - Integer.MAX_VALUE + 5] = 1;
    }

    static int offset(int[] a) {
        int found = 0;
        for (int i = 1_000_000; i < 1_000_010; i++) found += a[i - 1_000_000];
        return found;
    }

    static int redBlack(int[] above, int[] here, int first) {
        int i = first;
        for (; i < here.length - 1; i += 2) here[i] = above[i] + here[i - 1] + here[i + 1];
        return i;
    }

    static int downByThree(int[] a, int[] b) {
        int i = 18;
        while (i >= 0) {
            a[i] = i;
            i -= 3;
            b[i + 3] = i;
        }
        return i;
    }

    static int stepsStopped(int[] a, int[] b, int at) {
        int i = 1;
        for (; i < N; i += 4) {
            a[i] = i;
            if (i == at) break;
            b[i] = i;
        }
        return i;
    }

    static void stepsOut(int[] a, int[] b) {
        for (int i = 1; i < 1000; i += 5) b[i] = a[i - 1];
    }

    static void stepsBelow(int[] a) {
        for (int i = 13; i > -1000; i -= 7) a[i]++;
    }

    static void stepsWrap(int[] a) {
        for (int i = Integer.MAX_VALUE - 9; i > 0; i += 100) a[i - Integer.MAX_VALUE + 12] = 1;
    }

    static int twoSteps(int[] a, int[] b) {
        int i = 0, j = 19;
        while (i < 12) {
            a[i] = b[j];
            i += 2;
            j -= 3;
        }
        return i + j;
    }

    static int conditional(int[] a, int[] b) {
        int found = 0;
        for (int i = 0; i < 14; i++) {
            if (a[i] > 3) found += b[i];
            else found -= b[i + 1];
        }
        return found;
    }

    static int manyLocals(int[] a) {
        long p = 1, q = 2;
        double r = 3;
        int found = 0;
        for (int i = 0; i < 14; i++) {
            p += a[i];
            long t = p * q;
            r += t;
            found ^= (int) r;
        }
        return found;
    }

    /** A loop that no compiler has written; what it returns, or 0 if the class is not there. */
    static long byHand(String name, int[] a, int from, int until) throws Exception {
        try {
            Class<?> made = Class.forName("ByHand");
            return (int) made.getMethod(name, int[].class, int.class, int.class).invoke(null, a, from, until);
        } catch (ClassNotFoundException e) {
            return 0;
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw (Exception) e.getCause();
        }
    }

    interface Body {
        long run() throws Exception;
    }

    static void attempt(String name, Body body) {
        String text;
        try {
            text = "" + body.run();
        } catch (Exception e) {
            text = e.getClass().getSimpleName() + " " + e.getMessage() + " at line " + line(e);
        }
        System.out.println(name + " " + text);
    }

    static int[] ramp() {
        int[] made = fresh();
        made[1] = 4;
        made[5] = 3;
        made[7] = 9;
        made[12] = 2;
        return made;
    }

    public static void main(String[] args) {
        int times = args[0].equals("often") ? 3000 : 50;
        number();
        attempt("up", () -> { int[] a = fresh(); up(a); never(a); return a[16]; });
        attempt("down", () -> { long[] b = longs(); down(ramp(), b); return b[4]; });
        attempt("stencil", () -> stencil(ramp(), fresh()));
        attempt("whileLoop", () -> whileLoop(ramp()));
        attempt("doWhile", () -> doWhile(ramp()) + doWhileDown(ramp()));
        attempt("postfix", () -> postfix(fresh(), ramp()) + prefix(fresh()) + postfixDown(fresh(), ramp()));
        for (int at = -1; at < N; at += 4) {
            int here = at;
            attempt("stopped", () -> stopped(fresh(), fresh(), here) + stoppedBefore(ramp(), here));
            attempt("find", () -> find(ramp(), here) + findAndUse(ramp(), ramp(), here));
            attempt("switched", () -> switched(fresh(), fresh(), here));
        }
        attempt("continued", () -> continued(fresh(), ramp(), fresh()) + continuedWhile(ramp(), ramp()));
        attempt("nested", () -> { nested(ramp(), ramp(), longs()); nestedStep(ramp(), longs()); return 0; });
        attempt("labelled", () -> labelled(ramp(), ramp()));
        attempt("step", () -> { step(fresh()); return 0; });
        for (int at = 1; at < 4; at++) {
            int here = at;
            attempt("switchedOut", () -> { int[] keys = fresh(); keys[0] = 0; keys[6] = here; return switchedOut(ramp(), keys); });
        }
        attempt("chosen", () -> chosen(ramp(), ramp(), true) + chosen(ramp(), ramp(), false));
        attempt("swapped", () -> { swapped(ramp(), fresh()); return moved(ramp()); });
        attempt("objects", () -> { objectsMoved(objects(), objects()); return 0; });
        attempt("called", () -> { called(fresh()); mathematical(ramp(), longs()); return 0; });
        Loops loops = new Loops();
        attempt("own", () -> loops.ownArray() + loops.changingArray() + loops.carefully(ramp()));
        attempt("parameter", () -> parameter(ramp(), 2) + parameter(fresh(), 2));
        attempt("sums", () -> prefixSums(ramp())[19] + twoAfterEachOther(fresh(), fresh()));
        attempt("synchronized", () -> synchronizedMethod(fresh()));
        attempt("block", () -> synchronizedBlock(fresh(), new Object()));
        attempt("free", () -> { Object lock = new Object(); try { synchronizedBlock(fresh(), lock); } catch (ArrayIndexOutOfBoundsException e) { return Thread.holdsLock(lock) ? 1 : 0; } return 2; });
        attempt("caught", () -> caughtOutside(ramp(), fresh(), "text ") + caughtTwice(ramp(), fresh()));
        attempt("within", () -> caughtWithin(fresh(), fresh()) + caughtAndWentOn(fresh(), fresh()));
        attempt("afterTheIncrement", () -> afterTheIncrement(ramp(), fresh(), fresh()));
        attempt("twice", () -> { int[] a = ramp(); return afterTheIncrement(a, a, a); });
        attempt("noArray", () -> noArray(ramp(), null));
        attempt("noArrayEither", () -> noArray(null, fresh()));
        attempt("negative", () -> { negative(fresh()); return 0; });
        attempt("wraps", () -> { wraps(fresh()); return offset(ramp()); });
        attempt("redBlack", () -> redBlack(ramp(), ramp(), 1) + redBlack(ramp(), ramp(), 2) + redBlack(ramp(), ramp(), 19));
        attempt("downByThree", () -> downByThree(fresh(), fresh()));
        for (int at = 1; at < N; at += 8) {
            int here = at;
            attempt("stepsStopped", () -> stepsStopped(fresh(), fresh(), here));
        }
        attempt("stepsOut", () -> { stepsOut(ramp(), fresh()); return 0; });
        attempt("stepsOutTwice", () -> { int[] a = ramp(); stepsOut(a, a); return 0; });
        attempt("stepsBelow", () -> { stepsBelow(ramp()); return 0; });
        attempt("stepsWrap", () -> { stepsWrap(fresh()); return 0; });
        attempt("twoSteps", () -> twoSteps(fresh(), ramp()));
        attempt("conditional", () -> conditional(ramp(), ramp()) + manyLocals(ramp()));
        String[] names = {"conditionLast", "headFirst", "enteredByCondition", "enteredTwice", "leftBySwitch", "otherStack"};
        for (String name : names) {
            attempt(name, () -> byHand(name, fresh(), 3, 12));
            attempt(name, () -> byHand(name, fresh(), 3, 3));
            attempt(name, () -> byHand(name, fresh(), 8, 30));
        }
        // Often enough to be compiled.
        for (int i = 0; i < times; i++) {
            sum += stencil(QUIET, QUIET2);
            try {
                synchronizedBlock(QUIET, QUIET2);
            } catch (ArrayIndexOutOfBoundsException e) {
                sum++;
            }
        }
        System.out.println(sum);
    }

    static final int[] QUIET = fresh(), QUIET2 = fresh();
}
