import support.Atomic;
import support.Invisible;
import support.Threads;

/**
 * Section 4.4 of "Atomizer": data that is written under a lock and read without one. With lock sets for writes of their own both
 * methods are atomic. The read without the lock is a data race all the same.
 */
public class ReadMostly {
    static class Counter {
        private final Object lock = new Object();
        private int x;

        @Atomic
        public int read() {
            return x; //~ data-race
        }

        @Atomic
        public void inc() {
            synchronized (lock) {
                x = x + 1; //~ data-race
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Counter counter = new Counter();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                for (int round = 1; round <= 5; round++) {
                    Invisible.meet(threads.length * round);
                    if (number == 0) {
                        counter.read();
                    } else {
                        counter.inc();
                    }
                    // A trace has no order for an access without a lock; this gives it one.
                    Threads.pass();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("ReadMostly " + counter.read());
    }
}
