import support.Invisible;
import support.Threads;

/**
 * Figures 3 and 4 of "High-level data races", threads t1, t2 and t4: one uses a part of the point, always the same;
 * the other a part and later the whole. Their views form chains, so nothing is wrong.
 */
public class CoordChain {
    static class Coord {
        double x;
        double y;

        Coord(double x, double y) {
            this.x = x;
            this.y = y;
        }

        synchronized double getX() { return x; }

        synchronized double getY() { return y; }

        synchronized Coord getXY() { return new Coord(x, y); }

        synchronized void setXY(Coord c) { x = c.x; y = c.y; }
    }

    static double chainOk() throws InterruptedException {
        Coord c = new Coord(0, 0);
        double[] seen = new double[2];
        Threads.run(
                () -> {
                    Coord d1 = new Coord(1, 2);
                    c.setXY(d1);
                    Invisible.step(0);
                    Invisible.step(3);
                    c.setXY(new Coord(3, 4));
                },
                () -> {
                    Invisible.await(1);
                    seen[0] = c.getX();
                    Invisible.step(1);
                },
                () -> {
                    Invisible.await(2);
                    double x4 = c.getX();
                    Coord d4 = c.getXY();
                    seen[1] = x4 + d4.getX() + d4.getY();
                    Invisible.step(2);
                });
        return seen[0] + seen[1];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("CoordChain " + chainOk());
    }
}
