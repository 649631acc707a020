/**
 * A counter that is copied to a local variable under a lock and written back under the same lock later, as in Artho,
 * Havelund and Biere, "High-level data races", section 7: one variable is enough for a defect that no view shows.
 */
public class Local {
    private final Object lock = new Object();
    private int x;

    int get() {
        synchronized (lock) {
            return x;
        }
    }

    void set(int value) {
        synchronized (lock) {
            x = value;
        }
    }

    void increase() {
        int local = get();
        local++;
        set(local); //~ stale-value
    }

    public static void main(String[] args) throws InterruptedException {
        Local shared = new Local();
        Thread one = new Thread(shared::increase);
        Thread two = new Thread(shared::increase);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(shared.get() > 0);
    }
}
