import support.Invisible;
import support.Threads;

/** Section 2.1 of "High-level data races": the reader takes the pair at once, the writer sets x and then y. */
public class CoordWriteApart {
    static class Coord {
        double x;
        double y;

        Coord(double x, double y) {
            this.x = x;
            this.y = y;
        }

        synchronized Coord getXY() { return new Coord(x, y); } //~ high-level-race

        synchronized void setX(double x) { this.x = x; } //~ high-level-race

        synchronized void setY(double y) { this.y = y; } //~ high-level-race
    }

    static double setApartBad() throws InterruptedException {
        Coord c = new Coord(1, 2);
        double[] seen = new double[1];
        Threads.run(
                () -> {
                    Coord copy = c.getXY();
                    seen[0] = copy.x + copy.y;
                    Invisible.step(0);
                },
                () -> {
                    Invisible.step(1);
                    c.setX(0);
                    c.setY(0);
                });
        return seen[0];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("CoordWriteApart " + setApartBad());
    }
}
