import java.util.List;

class Listing {
    int plain;
    double wide;
    volatile long loud;
    static int shared;
    final String fixed;

    Listing(String s) {
        super();
        fixed = s;
    }

    double own(int[] ints, double[] reals) {
        wide = plain;
        loud = shared;
        reals[1] = ints[0];
        return wide;
    }

    static void foreign(Other other) {
        other.field = Other.shared;
    }

    synchronized void whole() {
        plain++;
    }

    void block(Object lock) throws InterruptedException {
        synchronized (lock) {
            lock.wait();
        }
    }

    static int call(List<String> list, StringBuilder text) {
        text.append(list.size());
        return text.length();
    }

    synchronized native void far();

    static {
        shared = 1;
    }
}

class Other {
    int field;
    static long wide;
    static int shared;
}
