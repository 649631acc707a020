import support.Invisible;

/**
 * Figure 1 of "Using block-local atomicity to detect stale-value concurrency errors": swap is one block, reset is two. A swap
 * between the two leaves a coordinate behind that was to be zero. No value is stale: the defect is a high-level race.
 */
public class SwapReset {
    static final int ROUNDS = 3;

    static class Coord {
        private int x;
        private int y;
    }

    private final Object lock = new Object();
    private final Coord coord = new Coord();

    void swap() {
        int oldX;
        synchronized (lock) {
            oldX = coord.x;
            coord.x = coord.y;
            coord.y = oldX;
        }
    }

    void reset() {
        synchronized (lock) {
            coord.x = 0;
        }
        synchronized (lock) {
            coord.y = 0; //~ high-level-race
        }
    }

    boolean isSane() {
        synchronized (lock) {
            return coord.x >= 0 && coord.y >= 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        SwapReset shared = new SwapReset();
        Thread swapper = new Thread(() -> {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet(2 * round);
                shared.swap();
            }
        });
        Thread resetter = new Thread(() -> {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet(2 * round);
                shared.reset();
            }
        });
        swapper.start();
        resetter.start();
        swapper.join();
        resetter.join();
        System.out.println("SwapReset " + shared.isSane());
    }
}
