import support.Invisible;
import support.Threads;

/**
 * Figures 3 and 4 of "High-level data races", threads t1 and t3: one moves the point as a whole, the other fetches x
 * and then y, and may get an x and a y that were never a point.
 */
public class CoordReadApart {
    static class Coord {
        double x;
        double y;

        Coord(double x, double y) {
            this.x = x;
            this.y = y;
        }

        synchronized double getX() { return x; } //~ high-level-race

        synchronized double getY() { return y; } //~ high-level-race

        synchronized void setXY(Coord c) { x = c.x; y = c.y; } //~ high-level-race
    }

    static double fetchedApartBad() throws InterruptedException {
        Coord c = new Coord(0, 0);
        double[] seen = new double[1];
        Threads.run(
                () -> {
                    c.setXY(new Coord(1, 2));
                    Invisible.step(0);
                    Invisible.step(2);
                    c.setXY(new Coord(3, 4));
                },
                () -> {
                    Invisible.await(1);
                    double x = c.getX();
                    double y = c.getY();
                    seen[0] = x + y;
                    Invisible.step(1);
                });
        return seen[0];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("CoordReadApart " + fetchedApartBad());
    }
}
