import support.Invisible;

/** The coordinates of SwapReset, reset in one block. */
public class SwapResetFixed {
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
            coord.y = 0;
        }
    }

    boolean isSane() {
        synchronized (lock) {
            return coord.x >= 0 && coord.y >= 0;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        SwapResetFixed shared = new SwapResetFixed();
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
        System.out.println("SwapResetFixed " + shared.isSane());
    }
}
