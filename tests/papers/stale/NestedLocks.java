/**
 * Section 4 of "Using block-local atomicity": a thread that holds an outer lock takes an inner one to read a field, and uses the
 * value when the inner lock is gone. Others write the field under the inner lock alone: the outer one protects nothing.
 */
public class NestedLocks {
    static class Store {
        private int level;

        synchronized int level() {
            return level;
        }

        synchronized void fill(int amount) {
            level += amount;
        }

        synchronized void setLevel(int value) {
            level = value;
        }
    }

    private final Object outer = new Object();
    private final Store store = new Store();
    private int drained;

    void drain(int amount) {
        synchronized (outer) {
            int before = store.level(); //~ also non-atomic
            int after = Math.max(0, before - amount);
            store.setLevel(after); //~ stale-value
            drained += amount;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        NestedLocks shared = new NestedLocks();
        Thread filler = new Thread(() -> {
            for (int i = 0; i < 10; i++) {
                shared.store.fill(2);
            }
        });
        Thread[] drainers = new Thread[2];
        for (int i = 0; i < drainers.length; i++) {
            drainers[i] = new Thread(() -> {
                for (int n = 0; n < 5; n++) {
                    shared.drain(1);
                }
            });
        }
        filler.start();
        for (Thread drainer : drainers) {
            drainer.start();
        }
        filler.join();
        for (Thread drainer : drainers) {
            drainer.join();
        }
        System.out.println("NestedLocks " + (shared.store.level() >= 0) + " " + shared.drained);
    }
}
