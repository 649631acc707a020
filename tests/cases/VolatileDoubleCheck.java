import support.Threads;

/**
 * Double-checked locking on a volatile field is right, and "Atomizer" reports it all the same: its block uses a
 * volatile variable twice, and volatile accesses cannot be moved together. No data race.
 */
public class VolatileDoubleCheck {
    static final class Instance {
        int value = 6;
    }

    static volatile Instance instance;
    static final int[] SEEN = new int[2];

    static Instance instance() {
        if (instance == null) {
            synchronized (VolatileDoubleCheck.class) {
                if (instance == null) {
                    instance = new Instance(); //~ non-atomic
                }
            }
        }
        return instance;
    }

    static void volatileFieldBad() throws InterruptedException {
        Threads.inTurn(() -> SEEN[0] = instance().value, () -> SEEN[1] = instance().value);
    }

    public static void main(String[] args) throws InterruptedException {
        volatileFieldBad();
        System.out.println("VolatileDoubleCheck " + (SEEN[0] + SEEN[1]));
    }
}
