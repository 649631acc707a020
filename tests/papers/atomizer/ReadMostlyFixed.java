import support.Atomic;
import support.Invisible;
import support.Threads;

/** The counter of ReadMostly; who reads holds the lock too. */
public class ReadMostlyFixed {
    static class Counter {
        private final Object lock = new Object();
        private int x;

        @Atomic
        public int read() {
            synchronized (lock) {
                return x;
            }
        }

        @Atomic
        public void inc() {
            synchronized (lock) {
                x = x + 1;
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
        System.out.println("ReadMostlyFixed " + counter.read());
    }
}
