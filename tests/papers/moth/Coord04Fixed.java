/** {@link Coord04} with a reset in one block. */
public class Coord04Fixed {
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
            y = 0;
        }
    }

    synchronized boolean isOrigin() {
        return x == 0 && y == 0;
    }

    public static void main(String[] args) throws InterruptedException {
        Coord04Fixed coord = new Coord04Fixed();
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
