/** Threads look for numbers above a limit, which one of them raises: it is read under its lock and used a thousand times. */
public class StaleLimit {
    static final class Limit {
        private long value;
        private int raised;

        synchronized long get() {
            return value;
        }

        synchronized void raise(long to) {
            value = Math.max(value, to);
            raised++;
        }
    }

    static final class Searcher extends Thread {
        private final Limit limit;
        private final int rounds;
        private long state;
        private long found;
        private long missed;

        Searcher(Limit limit, int rounds, long seed) {
            this.limit = limit;
            this.rounds = rounds;
            state = seed;
        }

        @Override
        public void run() {
            for (int round = 0; round < rounds; round++) {
                long above = limit.get();
                long highest = 0;
                long number = state;
                for (int i = 0; i < 1000; i++) {
                    number = number * 6364136223846793005L + 1442695040888963407L;
                    long candidate = number >>> 44;
                    if (candidate > above) {
                        highest = Math.max(highest, candidate);
                    }
                    missed += above - candidate;
                }
                state = number;
                if (highest > 0) {
                    found++;
                    limit.raise(Math.max(highest, above));
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 300_000;
        Limit limit = new Limit();
        long start = System.nanoTime();
        Searcher[] searchers = new Searcher[4];
        for (int i = 0; i < searchers.length; i++) {
            searchers[i] = new Searcher(limit, rounds, i + 1);
            searchers[i].start();
        }
        long found = 0;
        for (Searcher searcher : searchers) {
            searcher.join();
            found += searcher.found;
        }
        long took = (System.nanoTime() - start) / 1_000_000;
        System.out.println("RESULT StaleLimit ms=" + took + " sane=" + (found > 0 && limit.get() > 0));
    }
}
