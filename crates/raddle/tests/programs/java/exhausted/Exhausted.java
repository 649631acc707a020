/**
 * Fills the memory, and then goes on where it needs none: other threads begin to work, take locks, use arrays. None of
 * that can fail.
 */
public class Exhausted {
    static final Object[] LOCKS = new Object[20];
    static final int[][] ARRAYS = new int[20][];
    static volatile boolean full;
    static volatile Throwable thrown;
    static int count;
    static Link chain;

    static class Link {
        Link next;
        long[] filled;
    }

    static void fill() {
        for (int size = 1 << 16; size >= 0; size = size == 0 ? -1 : size / 2) {
            try {
                while (true) {
                    Link link = new Link();
                    link.next = chain;
                    chain = link;
                    link.filled = new long[size];
                }
            } catch (OutOfMemoryError e) {
                // Now a smaller one.
            }
        }
        full = true;
        for (int i = 0; i < 3; i++) work();
        chain = null;
    }

    static void work() {
        try {
            for (int i = 0; i < LOCKS.length; i++) {
                synchronized (LOCKS[i]) {
                    count++;
                }
                ARRAYS[i][0]++;
            }
        } catch (Throwable e) {
            thrown = e;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < LOCKS.length; i++) {
            LOCKS[i] = new Object();
            ARRAYS[i] = new int[1];
        }
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                while (!full) Thread.onSpinWait();
                work();
            });
            threads[i].start();
        }
        fill();
        for (Thread thread : threads) thread.join();
        String what = thrown == null ? "none" : thrown.toString();
        System.out.println("Exhausted: all done, thrown: " + what);
    }
}
