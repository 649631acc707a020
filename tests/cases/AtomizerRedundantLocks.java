import support.Threads;

/**
 * Section 4.3 of "Atomizer": locks that are taken again and again in one block and still do no harm, because they are
 * taken already, belong to one thread alone, were handed over once, or are always taken under another lock.
 */
public class AtomizerRedundantLocks {
    static final Object OUTER = new Object();
    static final Object PROTECTED = new Object();
    static int reentered;
    static int protectedCount;
    static int localCount;
    static int handedCount;

    static void reentrantOk() {
        synchronized (OUTER) {
            synchronized (OUTER) {
                reentered++;
            }
            synchronized (OUTER) {
                reentered++;
            }
        }
    }

    static void protectedLockOk() {
        synchronized (OUTER) {
            synchronized (PROTECTED) {
                protectedCount++;
            }
            synchronized (PROTECTED) {
                protectedCount++;
            }
        }
    }

    static void threadLocalLockOk() {
        Object mine = new Object();
        synchronized (OUTER) {
            synchronized (mine) {
                localCount++;
            }
            synchronized (mine) {
                localCount++;
            }
        }
    }

    static void handedOver(Object once) {
        synchronized (OUTER) {
            synchronized (once) {
                handedCount++;
            }
            synchronized (once) {
                handedCount++;
            }
        }
    }

    static void handedOverLockOk() throws InterruptedException {
        Object[] locks = {new Object(), new Object()};
        synchronized (locks[0]) {
            handedCount++;
        }
        synchronized (locks[1]) {
            handedCount++;
        }
        Threads.inTurn(() -> handedOver(locks[0]), () -> handedOver(locks[1]));
    }

    public static void main(String[] args) throws InterruptedException {
        Threads.Body each = () -> {
            reentrantOk();
            protectedLockOk();
            threadLocalLockOk();
        };
        Threads.inTurn(each, each, each);
        handedOverLockOk();
        System.out.println("AtomizerRedundantLocks " + reentered + " " + protectedCount + " " + localCount + " "
                + handedCount);
    }
}
