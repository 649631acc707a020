/**
 * Figure 6 of "Using block-local atomicity": a long computation on a copy, whose result is written only if the shared value is
 * still what it was; else it is done again. Nothing is wrong with it; the paper's algorithm complains.
 */
public class Transaction {
    static class Shared {
        private int field = 1;
    }

    private final Object lock = new Object();
    private final Shared shared = new Shared();

    private static int f(int value) {
        int result = value;
        for (int i = 0; i < 50; i++) {
            result = (result * 7 + 3) % 10007;
        }
        return result + 1;
    }

    void doTransaction() {
        int value;
        int fdata;
        boolean done = false;
        while (!done) {
            synchronized (lock) {
                value = shared.field;
            }
            fdata = f(value); //~ paper stale-value
            synchronized (lock) {
                if (value == shared.field) {
                    shared.field = fdata;
                    done = true;
                }
            }
        }
    }

    int get() {
        synchronized (lock) {
            return shared.field;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Transaction account = new Transaction();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 5; n++) {
                    account.doTransaction();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("Transaction " + account.get());
    }
}
