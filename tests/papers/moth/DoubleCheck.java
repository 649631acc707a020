/**
 * A value that is read, worked on without the lock, and written only if it is still what it was: "Using block-local
 * atomicity …", Figure 6. The paper's definition does not know the second look.
 */
public class DoubleCheck {
    private int value;
    private int retries;

    synchronized int get() {
        return value;
    }

    void update() {
        boolean done = false;
        while (!done) {
            int seen = get();
            int fresh = seen * 2 + 1;
            synchronized (this) {
                if (value == seen) {
                    value = fresh; //~ paper stale-value
                    done = true;
                } else {
                    retries++;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        DoubleCheck shared = new DoubleCheck();
        Thread one = new Thread(shared::update);
        Thread two = new Thread(shared::update);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(shared.get() + shared.retries > 0);
    }
}
