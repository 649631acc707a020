import support.Threads;

/** Table 2 of "High-level data races", examples 7 and 8: each thread uses two of three fields, alone and together. */
public class CoordThree {
    static class Crossed {
        int x;
        int y;
        int z;

        synchronized void xy() { x++; y++; }

        synchronized void yz() { y++; z++; } //~ FN high-level-race

        synchronized void y() { y++; } //~ FN high-level-race

        synchronized void z() { z++; } //~ FN high-level-race
    }

    static class Circle {
        int x;
        int y;
        int z;

        synchronized void xy() { x++; y++; }

        synchronized void yz() { y++; z++; }

        synchronized void zx() { z++; x++; }

        synchronized void x() { x++; }

        synchronized void y() { y++; }

        synchronized void z() { z++; }
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
