import support.Threads;

/** Double-checked locking on a plain field: the first check is a race. Always taking the lock is none. */
public class DoubleCheckedLocking {
    static final class Instance {
        final int value = 6;
    }

    static Instance unsafe;
    static Instance safe;
    static final int[] SEEN = new int[4];

    static Instance unsafe() {
        if (unsafe == null) { //~ data-race
            synchronized (DoubleCheckedLocking.class) {
                if (unsafe == null) {
                    unsafe = new Instance(); //~ data-race
                }
            }
        }
        return unsafe;
    }

    static synchronized Instance safe() {
        if (safe == null) {
            safe = new Instance();
        }
        return safe;
    }

    static void firstCheckWithoutLockBad() throws InterruptedException {
        Threads.inTurn(() -> SEEN[0] = unsafe().value, () -> SEEN[1] = unsafe().value);
    }

    static void alwaysLockedOk() throws InterruptedException {
        Threads.inTurn(() -> SEEN[2] = safe().value, () -> SEEN[3] = safe().value);
    }

    public static void main(String[] args) throws InterruptedException {
        firstCheckWithoutLockBad();
        alwaysLockedOk();
        System.out.println("DoubleCheckedLocking " + (SEEN[0] + SEEN[1]) + " " + (SEEN[2] + SEEN[3]));
    }
}
