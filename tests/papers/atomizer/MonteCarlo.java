import java.util.ArrayList;
import java.util.List;

/**
 * A Monte Carlo simulation after the one of the Java Grande suite: runners price an option on many random paths and put their
 * results into one list. `run` methods aside, one method that is seen from outside takes the list's lock twice, which
 * "Atomizer" reports with its export heuristic and calls no error. Nothing is wrong with it.
 */
public class MonteCarlo {
    static int paths = 60;
    static final int THREADS = 4;

    /** A random path of prices. */
    static class Path {
        private long seed;
        private final double[] prices = new double[50];

        Path(long seed) {
            this.seed = seed;
        }

        private double uniform() {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            return (seed >>> 11) / (double) (1L << 53);
        }

        double walk() {
            double price = 100;
            for (int i = 0; i < prices.length; i++) {
                price *= 1 + (uniform() - 0.5) / 20;
                prices[i] = price;
            }
            return price;
        }

        double highest() {
            double highest = 0;
            for (double price : prices) {
                highest = Math.max(highest, price);
            }
            return highest;
        }
    }

    static final class Result {
        final int path;
        final double end;
        final double highest;

        Result(int path, double end, double highest) {
            this.path = path;
            this.end = end;
            this.highest = highest;
        }
    }

    static class Results {
        private final List<Result> all = new ArrayList<>();
        private int expected;

        public synchronized void expect(int more) {
            expected += more;
        }

        public synchronized void add(Result result) {
            all.add(result);
        }

        public synchronized double mean() {
            double sum = 0;
            for (Result result : all) {
                sum += result.end;
            }
            return sum / expected;
        }
    }

    /** Prices the paths of one runner. */
    public static void price(Results results, int number) {
        results.expect(paths / THREADS);
        for (int i = number; i < paths; i += THREADS) {
            Path path = new Path(i * 7919L + 17);
            double end = path.walk();
            results.add(new Result(i, end, path.highest())); //~ export non-atomic
        }
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1) {
            paths = Integer.parseInt(args[0]);
        }
        Results results = new Results();
        Thread[] runners = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            runners[i] = new Thread(() -> price(results, number), "montecarlo-" + i);
            runners[i].start();
        }
        for (Thread runner : runners) {
            runner.join();
        }
        System.out.println("MonteCarlo " + (Math.abs(results.mean() - 100) < 20));
    }
}
