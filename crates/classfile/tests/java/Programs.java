import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Says what it computes, in ways that use as much of the class file as Java 17 can. Woven or not, it says the same. */
public class Programs {
    static final PrintStream OUT = System.out;

    public static void main(String[] args) throws Exception {
        loops();
        switches();
        OUT.println(tries(0) + " " + tries(1) + " " + tries(2) + " " + tries(3));
        synchronised();
        constructors();
        wideLocals(3, 4L, 5.5, 6f, (byte) 7);
        lambdas();
        records();
        patterns("text");
        patterns(42);
        patterns(List.of(1, 2, 3));
        lines();
        nested();
        arrays();
        strings();
        resources();
        generics();
        initialisers();
        OUT.println(large(17));
        recursion();
        conditions();
        enums();
    }

    static void loops() {
        long sum = 0;
        outer:
        for (int i = 0; i < 20; i++) {
            for (int j = i; ; j += 3) {
                if (j > 50) continue outer;
                if (i * j == 96) break outer;
                sum += i ^ j;
            }
        }
        int n = 27, steps = 0;
        do {
            n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
            steps++;
        } while (n != 1);
        OUT.println(sum + " " + steps);
    }

    /** Its loop starts at the first instruction. */
    static int loopAtStart(int n) {
        while (true) {
            if (n <= 0) return n;
            n -= 7;
        }
    }

    static void switches() {
        StringBuilder text = new StringBuilder();
        for (int i = -3; i < 12; i++) {
            switch (i) {
                case 0: text.append("zero "); break;
                case 1: text.append("one "); // falls through
                case 2: text.append("two "); break;
                case 7: text.append("seven "); break;
                default: text.append('.');
            }
            switch (i * 1000) {
                case -2000: text.append("m2"); break;
                case 5000: text.append("p5"); break;
                case 11000: text.append("p11"); break;
            }
        }
        for (String s : new String[] {"alpha", "beta", "Aa", "BB", "?"}) {
            int code = switch (s) {
                case "alpha" -> 1;
                case "Aa" -> 2;
                case "BB" -> 3;
                case "beta" -> {
                    int x = s.length();
                    yield x * 10;
                }
                default -> -1;
            };
            text.append(' ').append(code);
        }
        OUT.println(text + " " + loopAtStart(40));
    }

    static String tries(int how) {
        StringBuilder log = new StringBuilder();
        try {
            log.append('a');
            try {
                if (how == 1) throw new IllegalStateException("one");
                if (how == 2) return log.append("return").toString();
                if (how == 3) log.append(((Object) "s").getClass().cast("t")).append(1 / (how - 3));
                log.append('b');
            } catch (IllegalStateException | UnsupportedOperationException e) {
                log.append(e.getMessage());
                throw new RuntimeException("inner", e);
            } finally {
                log.append('f');
            }
            log.append('c');
        } catch (ArithmeticException e) {
            log.append("arith");
        } catch (RuntimeException e) {
            log.append(e.getMessage()).append(e.getCause().getMessage());
        } finally {
            log.append('F');
            OUT.println("log " + log);
        }
        return log.toString();
    }

    private int count;
    private final Object lock = new Object();

    synchronized int bump(int by) {
        count += by;
        return count;
    }

    static synchronized long staticSync(long a, Long b) {
        return a + b;
    }

    int locked(int times) {
        for (int i = 0; i < times; i++) {
            synchronized (lock) {
                if (i == 5) throw new IllegalArgumentException("five");
                synchronized (this) {
                    count += i;
                }
            }
        }
        return count;
    }

    static void synchronised() throws InterruptedException {
        Programs p = new Programs();
        p.bump(3);
        OUT.println(p.locked(4));
        try {
            p.locked(9);
        } catch (IllegalArgumentException e) {
            OUT.println(e.getMessage() + " " + Thread.holdsLock(p.lock) + Thread.holdsLock(p));
        }
        Thread[] threads = new Thread[4];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 200; i++) p.bump(1);
            });
            threads[t].start();
        }
        for (Thread t : threads) t.join();
        OUT.println(p.count + " " + staticSync(4, 5L));
    }

    static class Base {
        final String name;
        final long weight;

        Base(String name, long weight) {
            this.name = name;
            this.weight = weight;
        }
    }

    static class Derived extends Base {
        final int extra;

        Derived(boolean flag, String a, String b, double d) {
            super(flag ? a : b + (d > 2 ? "big" : new StringBuilder("small").reverse()), flag && d > 1 ? 7L : (long) d);
            int local = flag ? 1 : 2;
            try {
                local += Integer.parseInt(a);
            } catch (NumberFormatException e) {
                local -= 100;
            }
            extra = local;
        }

        Derived(String only) {
            this(only.isEmpty(), only, "!" + only, only.length());
        }
    }

    static void constructors() {
        Derived one = new Derived(true, "12", "b", 1.5), two = new Derived("abc");
        OUT.println(one.name + one.weight + one.extra + " " + two.name + two.weight + two.extra);
        try {
            new Derived((String) null);
        } catch (NullPointerException e) {
            OUT.println("null");
        }
    }

    static void wideLocals(int a, long b, double c, float d, byte e) {
        long x = b;
        double y = c;
        for (int i = 0; i < a; i++) {
            long t = x + i;
            double u = y * t;
            x = (long) u ^ b;
            y = u / (d + e);
            if (x > 1000) {
                double z = x;
                y -= z;
            } else {
                long z = (long) y;
                x += z;
            }
        }
        OUT.println(x + " " + y + " " + (a + b + c + d + e));
    }

    static void lambdas() {
        int base = 10;
        Function<Integer, Function<Integer, Supplier<Integer>>> nest = x -> y -> () -> x * base + y;
        BiFunction<String, Integer, String> repeat = String::repeat;
        Supplier<List<String>> make = ArrayList::new;
        List<String> list = make.get();
        list.add(repeat.apply("ab", 3));
        Runnable[] actions = new Runnable[3];
        for (int i = 0; i < 3; i++) {
            int n = i;
            actions[i] = () -> list.add("n" + n + new Object() {
                int twice() {
                    return 2 * n + base;
                }
            }.twice());
        }
        Arrays.asList(actions).forEach(Runnable::run);
        OUT.println(nest.apply(4).apply(2).get() + " " + list);
        OUT.println("" + IntStream.range(0, 30).filter(i -> i % 3 == 0).mapToObj(i -> "x" + i)
            .collect(Collectors.groupingBy(String::length, TreeMap::new, Collectors.joining(","))));
    }

    record Point(int x, long y, String... names) {
        static int made;

        Point {
            if (x < 0) throw new IllegalArgumentException("negative " + x);
            made++;
        }

        double length() {
            return Math.sqrt(x * (double) x + y * y);
        }
    }

    sealed interface Shape permits Circle, Square {
        default String describe() {
            return name() + area();
        }

        private String name() {
            return getClass().getSimpleName();
        }

        long area();
    }

    record Circle(int r) implements Shape {
        public long area() {
            return Math.round(Math.PI * r * r);
        }
    }

    record Square(int s) implements Shape {
        public long area() {
            return (long) s * s;
        }
    }

    static void records() {
        String[] none = {};
        Point p = new Point(3, 4, none);
        OUT.println(p.length() + " " + p.equals(new Point(3, 4, none)) + " " + new Circle(2) + new Square(5).describe());
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            OUT.println(e.getMessage() + Point.made);
        }
    }

    static void patterns(Object o) {
        if (o instanceof String s && s.length() > 2) {
            OUT.println("string " + s.charAt(2));
        } else if (!(o instanceof Integer i)) {
            OUT.println("other " + o);
        } else {
            OUT.println("int " + (i + 1));
        }
    }

    static int at(int depth) {
        if (depth == 0) {
            throw new IllegalStateException(
                "deep");
        }
        int a = 1;
        a += at(depth - 1);
        return a;
    }

    /** The lines of a stack trace must stay. */
    static void lines() {
        try {
            at(3);
        } catch (IllegalStateException e) {
            StringBuilder text = new StringBuilder();
            for (StackTraceElement frame : e.getStackTrace()) {
                if (frame.getClassName().equals("Programs")) {
                    text.append(frame.getMethodName()).append(':').append(frame.getLineNumber()).append(' ');
                }
            }
            OUT.println(text);
        }
        try {
            int[] none = null;
            OUT.println(none
                .length);
        } catch (NullPointerException e) {
            OUT.println("line " + e.getStackTrace()[0].getLineNumber());
        }
    }

    class Inner {
        int value = count + 1;

        class Innermost {
            int both() {
                return value * 100 + count;
            }
        }
    }

    static void nested() {
        Programs p = new Programs();
        p.count = 4;
        Inner.Innermost deep = p.new Inner().new Innermost();
        IntSupplier s = deep::both;
        OUT.println(s.getAsInt());
    }

    static void arrays() {
        int[][][] cube = new int[2][3][];
        cube[1][2] = new int[] {1, 2, 3};
        cube[1][2][0] += 5;
        cube[1][2][1]++;
        long[] longs = {1L << 40, -1};
        longs[1] ^= longs[0];
        boolean[] flags = new boolean[3];
        flags[1] = !flags[2];
        char[] chars = "hello".toCharArray();
        chars[0]--;
        String[][] texts = {{"a"}, null, {}};
        double[] doubles = new double[4];
        Arrays.setAll(doubles, i -> i / 3.0);
        OUT.println(Arrays.deepToString(cube) + Arrays.toString(longs) + flags[1] + new String(chars)
            + Arrays.deepToString(texts) + doubles[1]);
        try {
            Object[] objects = new String[1];
            objects[0] = 1;
        } catch (ArrayStoreException e) {
            OUT.println(e.getMessage());
        }
    }

    static void strings() {
        char c = 'q';
        String s = "a" + 1 + 2L + 3.0f + 4.0 + c + null + true + new int[0].length;
        s += s.length();
        OUT.println(s);
    }

    static class Res implements AutoCloseable {
        final String name;

        Res(String name) {
            this.name = name;
        }

        public void close() {
            OUT.println("close " + name);
            if (name.equals("b")) throw new IllegalStateException("closing");
        }
    }

    static void resources() {
        try (Res a = new Res("a"); Res b = new Res("b")) {
            OUT.println(a.name + b.name);
            throw new RuntimeException("body");
        } catch (RuntimeException e) {
            OUT.println(e.getMessage() + " " + e.getSuppressed()[0].getMessage());
        }
    }

    static <T extends Comparable<T>> T most(Iterable<? extends T> all) {
        Iterator<? extends T> it = all.iterator();
        T best = it.next();
        while (it.hasNext()) {
            T next = it.next();
            if (next.compareTo(best) > 0) best = next;
        }
        return best;
    }

    static void generics() {
        OUT.println("" + most(List.of(3, 9, 4)) + most(List.of("x", "yy")));
        Map<String, List<Integer>> map = new TreeMap<>();
        for (int i = 0; i < 9; i++) map.computeIfAbsent("k" + i % 3, k -> new ArrayList<>()).add(i);
        OUT.println(map);
    }

    static class Init {
        static final int[] TABLE;
        static long total;
        int a = 5;
        {
            if (a > 4) a *= 2;
        }

        static {
            TABLE = new int[5];
            for (int i = 0; i < TABLE.length; i++) TABLE[i] = i * i;
            total = Arrays.stream(TABLE).sum();
        }
    }

    static void initialisers() {
        OUT.println(Init.total + " " + new Init().a);
    }

    static long large(int n) {
        long a = n, b = 1, c = 2, d = 3, e = 4, f = 5;
        int i0 = 1, i1 = 2, i2 = 3;
        for (int i = 0; i < 50; i++) {
            switch ((int) (a % 9)) {
                case 0: a += b; b ^= c; break;
                case 1: a -= c; c += d; break;
                case 2: a *= 3; d = e - f; break;
                case 3: a ^= d; if (a < 0) a = -a; break;
                case 4: a += e; e <<= 1; break;
                case 5: f = a > b ? a : b; a++; break;
                case 6: { long t = a; a = b; b = t; } break;
                case 7: i0 += i1; i1 ^= i2; i2++; a += i0; break;
                default: a = a * 31 + 7;
            }
            if (a < 0) a = -a;
        }
        return a ^ b ^ c ^ d ^ e ^ f ^ i0 ^ i1 ^ i2;
    }

    static int depth;

    static void dive() {
        depth++;
        dive();
    }

    static void recursion() {
        try {
            dive();
        } catch (StackOverflowError e) {
            OUT.println("overflow " + (depth > 100));
        }
    }

    static void conditions() {
        int hits = 0;
        Object[] things = {null, "a", 1, 2.0, -3L};
        for (Object one : things) {
            for (Object two : things) {
                if (one == two) hits++;
                if (one != null && two == null || one instanceof Number) hits += 2;
                if (one instanceof Double d && (d > 1 ? d < 3 : d >= -1)) hits += 4;
                if (two instanceof Long l && l <= 0 && l != 5 ^ hits > 10) hits += 8;
            }
        }
        float f = hits;
        OUT.println(hits + " " + (f > 10 ? f <= 1e6f ? 1 : 2 : Float.isNaN(f) ? 3 : 4));
    }

    enum Op {
        PLUS("+") {
            int apply(int a, int b) {
                return a + b;
            }
        },
        TIMES("*") {
            int apply(int a, int b) {
                return a * b;
            }
        };

        final String sign;

        Op(String sign) {
            this.sign = sign;
        }

        abstract int apply(int a, int b);
    }

    static void enums() {
        for (Op op : Op.values()) {
            String kind;
            switch (op) {
                case PLUS: kind = "sum"; break;
                case TIMES: kind = "product"; break;
                default: throw new AssertionError();
            }
            OUT.println(kind + op.sign + op.apply(6, 7) + Op.valueOf("PLUS").ordinal());
        }
        assert depth < 0 : "assertions are off";
    }
}
