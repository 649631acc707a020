import java.util.concurrent.locks.ReentrantLock;

/** The stack overflows while locks that are no monitors are held: each one that was taken is known to be. */
public class DeepLocks {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int depth;

    static void lockedOk(int n) {
        LOCK.lock();
        try {
            depth = n;
            lockedOk(n + 1);
        } finally {
            LOCK.unlock();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int caught = 0;
        for (int i = 0; i < 5; i++) {
            try {
                lockedOk(0);
            } catch (StackOverflowError e) {
                caught++;
            }
            // Where the stack ends within the lock itself it is the lock that is left as it was then.
            while (LOCK.isHeldByCurrentThread()) {
                LOCK.unlock();
            }
        }
        Thread other = new Thread(() -> {
            LOCK.lock();
            try {
                depth = -1;
            } finally {
                LOCK.unlock();
            }
        });
        other.start();
        other.join();
        System.out.println("DeepLocks " + caught + " " + depth);
    }
}
