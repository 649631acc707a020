import support.Invisible;

/** The coordinates of CoordWriter; the writer sets both at once. */
public class CoordWriterFixed {
    static final int ROUNDS = 3;

    static class Pair {
        private double x;
        private double y;

        synchronized void setXY(double px, double py) {
            x = px;
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
            pair.setXY(0, 0);
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
        System.out.println("CoordWriterFixed " + reader.seen);
    }
}
