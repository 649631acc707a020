/** The counter of Increment, in one block. */
public class IncrementFixed {
    static class Shared {
        private int field;
    }

    private final Object lock = new Object();
    private final Shared shared = new Shared();

    void inc() {
        int tmp;
        synchronized (lock) {
            tmp = shared.field;
            tmp++;
            shared.field = tmp;
        }
    }

    int get() {
        synchronized (lock) {
            return shared.field;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        IncrementFixed counter = new IncrementFixed();
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
        System.out.println("IncrementFixed " + (counter.get() > 0 && counter.get() <= 30));
    }
}
