import support.Invisible;

/** The coordinates of Coord; the third thread takes both at once. */
public class CoordFixed {
    static final int THREADS = 4;
    static final int ROUNDS = 3;

    static class Pair {
        private double x;
        private double y;

        Pair(double px, double py) {
            x = px;
            y = py;
        }

        synchronized double getX() {
            return x;
        }

        synchronized double getY() {
            return y;
        }

        synchronized Pair getXY() {
            return new Pair(x, y);
        }

        synchronized void setXY(Pair c) {
            x = c.x;
            y = c.y;
        }
    }

    /** A thread that takes part in every round. */
    abstract static class Walker extends Thread {
        protected final Pair c;
        protected double used;

        Walker(Pair c) {
            this.c = c;
        }

        abstract void walk(int round);

        protected void use(double one, double other) {
            used += one + other;
        }

        @Override
        public void run() {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet(THREADS * round);
                walk(round);
            }
        }
    }

    static class Mover extends Walker {
        Mover(Pair c) {
            super(c);
        }

        @Override
        void walk(int round) {
            Pair d1 = new Pair(round, 2 * round);
            c.setXY(d1);
        }
    }

    static class PartReader extends Walker {
        PartReader(Pair c) {
            super(c);
        }

        @Override
        void walk(int round) {
            double x2 = c.getX();
            use(x2, 0);
        }
    }

    static class ApartReader extends Walker {
        ApartReader(Pair c) {
            super(c);
        }

        @Override
        void walk(int round) {
            Pair d3 = c.getXY();
            use(d3.getX(), d3.getY());
        }
    }

    static class WholeReader extends Walker {
        WholeReader(Pair c) {
            super(c);
        }

        @Override
        void walk(int round) {
            double x4 = c.getX();
            use(x4, 0);
            Pair d4 = c.getXY();
            x4 = d4.getX();
            double y4 = d4.getY();
            use(x4, y4);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Pair c = new Pair(0, 0);
        Walker[] walkers = {new Mover(c), new PartReader(c), new ApartReader(c), new WholeReader(c)};
        for (Walker walker : walkers) {
            walker.start();
        }
        double used = 0;
        for (Walker walker : walkers) {
            walker.join();
            used += walker.used;
        }
        System.out.println("CoordFixed " + c.getX() + " " + c.getY() + " " + (used >= 0));
    }
}
