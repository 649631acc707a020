public class Monitors {
    private final Object inner = new Object();

    synchronized int whole(int n) {
        if (n == 0) return 1;
        return n * whole(n - 1);
    }

    static synchronized String ofClass(String s) {
        return s + "!";
    }

    synchronized long thrower(boolean really) {
        if (really) throw new IllegalStateException("thrown");
        return 5L;
    }

    int nested(int n) {
        synchronized (this) {
            synchronized (inner) {
                if (n == 1) return 10;
                if (n == 2) throw new IllegalArgumentException("two");
            }
            System.out.println("after inner");
        }
        return 0;
    }

    void again() {
        synchronized (inner) {
            synchronized (inner) {
                System.out.println("held twice " + Thread.holdsLock(inner));
            }
        }
    }

    static synchronized void assigns(Object o) {
        o = o.toString();
        System.out.println(o);
    }

    void nothing() {
        Object none = null;
        synchronized (none) {
            System.out.println("never");
        }
    }

    int finallyToo(int n) {
        try {
            synchronized (this) {
                if (n > 1) throw new RuntimeException("more");
                return n;
            }
        } catch (RuntimeException e) {
            return -1;
        } finally {
            synchronized (inner) {
                System.out.println("finally " + n);
            }
        }
    }

    public static void main(String[] args) {
        Monitors m = new Monitors();
        System.out.println(m.whole(2));
        System.out.println(ofClass("a"));
        System.out.println(m.thrower(false));
        try {
            m.thrower(true);
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(m.nested(0));
        System.out.println(m.nested(1));
        try {
            m.nested(2);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        m.again();
        assigns(1);
        try {
            m.nothing();
        } catch (NullPointerException e) {
            System.out.println("no monitor");
        }
        System.out.println(m.finallyToo(1));
        System.out.println(m.finallyToo(2));
        System.out.println(Thread.holdsLock(m) + " " + Thread.holdsLock(m.inner) + " " + Thread.holdsLock(Monitors.class));
    }
}
