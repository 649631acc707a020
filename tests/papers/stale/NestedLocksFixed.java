/** The store of NestedLocks, whose own lock is held from the reading to the writing. */
public class NestedLocksFixed {
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
            synchronized (store) {
                int before = store.level();
                int after = Math.max(0, before - amount);
                store.setLevel(after);
            }
            drained += amount;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        NestedLocksFixed shared = new NestedLocksFixed();
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
        System.out.println("NestedLocksFixed " + (shared.store.level() >= 0) + " " + shared.drained);
    }
}
