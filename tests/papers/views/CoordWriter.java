import support.Invisible;

/**
 * Section 2.1 of "High-level data races": one thread reads both coordinates at once, the other sets them to zero one after
 * the other. The reader may see a pair that nobody ever meant to be there.
 */
public class CoordWriter {
    static final int ROUNDS = 3;

    static class Pair {
        private double x;
        private double y;

        synchronized void setX(double px) {
            x = px;
        }

        synchronized void setY(double py) {
            y = py;
        }

        synchronized double sum() {
            return x + y;
        }
    }

    static class Reader implements Runnable {
        private final Pair pair;
        private double seen;

        Reader(Pair pair) {
            this.pair = pair;
        }

        @Override
        public void run() {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet(2 * round);
                seen += pair.sum();
            }
        }
    }

    static class Writer implements Runnable {
        private final Pair pair;

        Writer(Pair pair) {
            this.pair = pair;
        }

        private void reset() {
            pair.setX(0);
            pair.setY(0); //~ high-level-race
        }

        @Override
        public void run() {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet(2 * round);
                reset();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Pair pair = new Pair();
        Reader reader = new Reader(pair);
        Thread reading = new Thread(reader, "reader");
        Thread writing = new Thread(new Writer(pair), "writer");
        reading.start();
        writing.start();
        reading.join();
        writing.join();
        System.out.println("CoordWriter " + reader.seen);
    }
}
