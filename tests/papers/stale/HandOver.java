/**
 * Figure 5 of "Using block-local atomicity": a worker takes a value out of a buffer, computes for a long time, and puts the
 * result in. Who takes a value owns it: the buffer gives each to one worker alone. Nothing is wrong with it; the paper's
 * algorithm complains, as do all others that look for atomicity.
 */
public class HandOver {
    static final int JOBS = 12;
    static final int WORKERS = 2;

    static class Buffer {
        private final int[] jobs = new int[JOBS];
        private final int[] results = new int[JOBS];
        private int taken;
        private int done;

        Buffer() {
            for (int i = 0; i < JOBS; i++) {
                jobs[i] = i + 1;
            }
        }

        boolean isEmpty() {
            return taken == JOBS;
        }

        int next() {
            int value = jobs[taken];
            jobs[taken] = 0;
            taken++;
            return value;
        }

        void add(int value) {
            results[done] = value;
            done++;
        }

        int sum() {
            int sum = 0;
            for (int result : results) {
                sum += result;
            }
            return sum;
        }
    }

    private final Object lock = new Object();
    private final Buffer buffer = new Buffer();

    private static int f(int value) {
        int result = value;
        for (int i = 0; i < 100; i++) {
            result = result * 31 % 1009;
        }
        return result;
    }

    void work() {
        int value;
        int fdata;
        while (true) {
            synchronized (lock) {
                if (buffer.isEmpty()) {
                    return;
                }
                value = buffer.next();
            }
            fdata = f(value); //~ paper stale-value
            synchronized (lock) {
                buffer.add(fdata);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HandOver shared = new HandOver();
        Thread[] workers = new Thread[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Thread(shared::work);
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("HandOver " + shared.buffer.sum());
    }
}
