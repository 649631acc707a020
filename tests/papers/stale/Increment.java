/**
 * Figures 2 and 3 of "Using block-local atomicity": an increment in two blocks. What another thread adds in between is lost,
 * although every access is under the lock and there is only one variable.
 */
public class Increment {
    static class Shared {
        private int field;
    }

    private final Object lock = new Object();
    private final Shared shared = new Shared();

    void inc() {
        int tmp;
        synchronized (lock) {
            tmp = shared.field;
        }
        tmp++;
        synchronized (lock) {
            shared.field = tmp; //~ stale-value
        }
    }

    int get() {
        synchronized (lock) {
            return shared.field;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Increment counter = new Increment();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 10; n++) {
                    counter.inc();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("Increment " + (counter.get() > 0 && counter.get() <= 30));
    }
}
