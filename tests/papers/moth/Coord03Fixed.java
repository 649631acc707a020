/** {@link Coord03} with a third thread that fetches the pair as a whole. */
public class Coord03Fixed {
    static class Coord {
        private double x;
        private double y;

        Coord(double px, double py) {
            x = px;
            y = py;
        }

        synchronized double getX() {
            return x;
        }

        synchronized double getY() {
            return y;
        }

        synchronized Coord getXY() {
            return new Coord(x, y);
        }

        synchronized void setXY(Coord c) {
            x = c.x;
            y = c.y;
        }
    }

    static class Mover extends Thread {
        private final Coord c;

        Mover(Coord c) {
            this.c = c;
        }

        @Override
        public void run() {
            Coord d1 = new Coord(1, 2);
            c.setXY(d1);
        }
    }

    static class PartReader extends Thread {
        private final Coord c;
        double seen;

        PartReader(Coord c) {
            this.c = c;
        }

        @Override
        public void run() {
            double x2 = c.getX();
            use(x2);
        }

        private void use(double value) {
            seen = value;
        }
    }

    static class ApartReader extends Thread {
        private final Coord c;
        double seen;

        ApartReader(Coord c) {
            this.c = c;
        }

        @Override
        public void run() {
            Coord d3 = c.getXY();
            use(d3.getX(), d3.getY());
        }

        private void use(double one, double other) {
            seen = one * other;
        }
    }

    static class WholeReader extends Thread {
        private final Coord c;
        double first;
        double seen;

        WholeReader(Coord c) {
            this.c = c;
        }

        @Override
        public void run() {
            double x4 = c.getX();
            first = x4;
            Coord d4 = c.getXY();
            x4 = d4.getX();
            double y4 = d4.getY();
            use(x4, y4);
        }

        private void use(double one, double other) {
            seen = one * other;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Coord c = new Coord(0, 0);
        Mover t1 = new Mover(c);
        PartReader t2 = new PartReader(c);
        ApartReader t3 = new ApartReader(c);
        WholeReader t4 = new WholeReader(c);
        t1.start();
        t2.start();
        t3.start();
        t4.start();
        t1.join();
        t2.join();
        t3.join();
        t4.join();
        System.out.println(t2.seen + t3.seen + t4.seen + t4.first >= 0);
    }
}
