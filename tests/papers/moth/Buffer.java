/**
 * A buffer that hands every value to one thread alone, as in "Using block-local atomicity …", Figure 5: what is computed
 * from a value after the lock was given up is not stale, because nobody else has the value. The paper's definition
 * cannot see that.
 */
public class Buffer {
    private final int[] values = new int[64];
    private int taken;
    private int sum;

    Buffer() {
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
    }

    /** Every value goes to one caller. */
    synchronized int next() {
        if (taken >= values.length) {
            return -1;
        }
        int value = values[taken];
        taken++;
        return value;
    }

    synchronized void add(int result) {
        sum += result;
    }

    void work() {
        int value = next();
        while (value >= 0) {
            int result = value * value;
            add(result); //~ paper stale-value
            value = next();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Buffer buffer = new Buffer();
        Thread[] workers = new Thread[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Thread(buffer::work);
        }
        for (Thread worker : workers) {
            worker.start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println(buffer.sum > 0);
    }
}
