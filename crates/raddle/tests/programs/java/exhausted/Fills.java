/**
 * Fills the heap, catches what comes of it, does for the first time what needs no memory, gives up what it has, and
 * goes on.
 */
public class Fills {
    static class Other {
        int one;
        volatile int two;
        Object three;
        static int four;
        static int[] five = new int[4];
    }

    static class Another {
        int one;
        volatile int two;
        static int four;

        synchronized void seven() {
            one++;
        }
    }

    static class Block {
        Block next;
        long[] filled;
    }

    static final Object LOCK = new Object();
    static Block chain;
    static int errors, shared;

    static void fill(int least) {
        for (int size = 1 << 17; size >= least; size /= 4) {
            try {
                while (true) {
                    Block block = new Block();
                    block.next = chain;
                    chain = block;
                    block.filled = new long[size];
                }
            } catch (OutOfMemoryError e) {
                errors++;
            }
        }
    }

    /** Says how far it came: no text is made here, which would need memory. */
    static int uses(Other other, Another another) {
        int at = 0;
        try {
            other.one++;
            at = 1;
            other.two++;
            at = 2;
            other.three = other;
            at = 3;
            Other.four++;
            at = 4;
            Other.five[1]++;
            at = 5;
            another.one = other.one;
            at = 6;
            another.two = another.one;
            at = 7;
            Another.four++;
            at = 8;
            another.seven();
            at = 9;
            synchronized (LOCK) {
                shared++;
            }
            return 100;
        } catch (OutOfMemoryError e) {
            return at;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Other other = new Other();
        Another another = new Another();
        Other.five[0] = 0;
        for (int round = 0; round < 3; round++) {
            fill(Integer.parseInt(args[0]));
            int used = uses(other, another);
            chain = null;
            System.out.println("round " + round + ": " + used);
        }
        System.out.println("errors: " + errors);
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 1000; i++) {
                    synchronized (LOCK) {
                        shared++;
                    }
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("shared: " + shared);
    }
}
