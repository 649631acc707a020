import support.Threads;

/** The same synchronized region many times over: what is said of it once is true of all, and what differs is not lost. */
public class RepeatedRegions {
    static final int TIMES = 300;

    static class Pair {
        int x;
        int y;

        synchronized void set(boolean first, boolean second) {
            if (first) x = TIMES; //~ high-level-race
            if (second) y = TIMES; //~ high-level-race
        }

        synchronized int sum() {
            return x + y; //~ high-level-race
        }
    }

    static class Counter {
        int count;

        synchronized void increment() {
            count++; //~ data-race
        }
    }

    static class Guarded {
        int count;

        synchronized void increment() {
            count++;
        }

        synchronized void twice() {
            increment();
            increment();
        }
    }

    static int togetherThenApartBad() throws InterruptedException {
        Pair pair = new Pair();
        int[] seen = new int[1];
        Threads.inTurn(
                () -> seen[0] = pair.sum(),
                () -> {
                    for (int i = 0; i < TIMES; i++) pair.set(true, true);
                    pair.set(true, false);
                    pair.set(false, true);
                    for (int i = 0; i < TIMES; i++) pair.set(true, true);
                });
        return seen[0];
    }

    static int withoutTheLockBad() throws InterruptedException {
        Counter counter = new Counter();
        int[] seen = new int[1];
        Threads.inTurn(
                () -> {
                    for (int i = 0; i < TIMES; i++) counter.increment();
                },
                () -> seen[0] = counter.count); //~ data-race
        return seen[0];
    }

    static int alwaysWithTheLockOk() throws InterruptedException {
        Guarded guarded = new Guarded();
        Threads.Body many = () -> {
            for (int i = 0; i < TIMES; i++) guarded.increment();
            for (int i = 0; i < TIMES; i++) guarded.twice();
        };
        Threads.run(many, many, many);
        synchronized (guarded) {
            return guarded.count;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("RepeatedRegions " + togetherThenApartBad() + " " + withoutTheLockBad() + " "
                + alwaysWithTheLockOk());
    }
}
