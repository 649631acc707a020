import support.Threads;

/** A lock that is taken twice in one block, and by another thread without the outer lock: that one can come in. */
public class AtomizerUnprotectedLock {
    static final Object OUTER = new Object();
    static final Object INNER = new Object();
    static int count;

    static void twice() {
        synchronized (OUTER) {
            synchronized (INNER) {
                count++;
            }
            synchronized (INNER) { //~ non-atomic
                count++;
            }
        }
    }

    static void once() {
        synchronized (INNER) {
            count++;
        }
    }

    static void innerLockTwiceBad() throws InterruptedException {
        Threads.inTurn(
                AtomizerUnprotectedLock::once,
                AtomizerUnprotectedLock::twice,
                AtomizerUnprotectedLock::once,
                AtomizerUnprotectedLock::twice);
    }

    public static void main(String[] args) throws InterruptedException {
        innerLockTwiceBad();
        System.out.println("AtomizerUnprotectedLock " + count);
    }
}
