import java.util.concurrent.locks.ReentrantLock;
import support.Threads;

/** The monitor of a ReentrantLock object is not the lock: synchronized on it keeps nobody out. */
public class ReentrantLockAndMonitor {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int mixed;
    static int same;

    static void monitorOfTheLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LOCK.lock();
                    mixed++; //~ data-race
                    LOCK.unlock();
                },
                () -> {
                    synchronized (LOCK) {
                        mixed = 2; //~ data-race
                    }
                });
    }

    static void increase() {
        LOCK.lock();
        try {
            same++;
        } finally {
            LOCK.unlock();
        }
    }

    static void theLockOk() throws InterruptedException {
        Threads.inTurn(ReentrantLockAndMonitor::increase, ReentrantLockAndMonitor::increase);
    }

    public static void main(String[] args) throws InterruptedException {
        monitorOfTheLockBad();
        theLockOk();
        System.out.println("ReentrantLockAndMonitor " + mixed + " " + same);
    }
}
