import support.Threads;

/**
 * Locks in different orders that cannot block anybody: under a common outer lock, in one thread alone, or in threads of
 * which one has ended before the other is started.
 */
public class LockOrderHarmless {
    static final Object GATE = new Object();
    static final Object[] LOCKS = new Object[6];

    static void nest(int outer, int inner) {
        synchronized (LOCKS[outer]) {
            synchronized (LOCKS[inner]) {
                Thread.onSpinWait();
            }
        }
    }

    static void gated(int outer, int inner) {
        synchronized (GATE) {
            nest(outer, inner);
        }
    }

    static void gateLockOk() throws InterruptedException {
        Threads.inTurn(() -> gated(0, 1), () -> gated(1, 0));
    }

    static void sameThreadOk() throws InterruptedException {
        Threads.inTurn(() -> {
            nest(2, 3);
            nest(3, 2);
        });
    }

    static void oneAfterTheOtherOk() throws InterruptedException {
        Thread first = new Thread(() -> nest(4, 5));
        first.start();
        first.join();
        Thread second = new Thread(() -> nest(5, 4));
        second.start();
        second.join();
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < LOCKS.length; i++) {
            LOCKS[i] = new Object();
        }
        gateLockOk();
        sameThreadOk();
        oneAfterTheOtherOk();
        System.out.println("LockOrderHarmless done");
    }
}
