/**
 * The coordinate pair of Artho, Havelund and Biere, "Using block-local atomicity to detect stale-value concurrency
 * errors": `swap` uses both coordinates in one block, `reset` sets them in two.
 */
public class Coord04 {
    private int x = 1;
    private int y = 2;

    void swap() {
        synchronized (this) {
            int old = x;
            x = y;
            y = old;
        }
    }

    void reset() {
        synchronized (this) {
            x = 0;
        }
        // A swap here leaves one of the two as it was.
        synchronized (this) {
            y = 0; //~ high-level-race
        }
    }

    synchronized boolean isOrigin() {
        return x == 0 && y == 0;
    }

    public static void main(String[] args) throws InterruptedException {
        Coord04 coord = new Coord04();
        Thread swapper = new Thread(() -> {
            for (int i = 0; i < 10; i++) {
                coord.swap();
            }
        });
        Thread resetter = new Thread(() -> coord.reset());
        swapper.start();
        resetter.start();
        swapper.join();
        resetter.join();
        System.out.println(coord.isOrigin() || !coord.isOrigin());
    }
}
