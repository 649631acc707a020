import support.Threads;

/** Table 2 of "High-level data races", examples 7 and 8: each thread uses two of three fields, alone and together. */
public class CoordThree {
    static class Crossed {
        int x;
        int y;
        int z;

        synchronized void xy() { x = 1; y = 1; }

        synchronized void yz() { y = 2; z = 2; } //~ high-level-race

        synchronized void y() { y = 3; } //~ high-level-race

        synchronized void z() { z = 3; } //~ high-level-race
    }

    static class Circle {
        int x;
        int y;
        int z;

        synchronized void xy() { x = 1; y = 1; }

        synchronized void yz() { y = 2; z = 2; }

        synchronized void zx() { z = 3; x = 3; }

        synchronized void x() { x = 4; }

        synchronized void y() { y = 4; }

        synchronized void z() { z = 4; }
    }

    static int bothPairsBad() throws InterruptedException {
        Crossed c = new Crossed();
        Threads.Body first = () -> {
            c.xy();
            c.yz();
        };
        Threads.Body second = () -> {
            c.yz();
            c.y();
            c.z();
        };
        Threads.inTurn(first, second);
        return c.x + c.y + c.z;
    }

    static int circleOk() throws InterruptedException {
        Circle c = new Circle();
        Threads.inTurn(
                () -> {
                    c.xy();
                    c.x();
                    c.y();
                },
                () -> {
                    c.yz();
                    c.y();
                    c.z();
                },
                () -> {
                    c.zx();
                    c.z();
                    c.x();
                });
        return c.x + c.y + c.z;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("CoordThree " + bothPairsBad() + " " + circleOk());
    }
}
