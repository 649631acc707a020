import java.util.concurrent.locks.ReentrantLock;
import support.Threads;

/** A lockInterruptibly() that ends with an exception has taken nothing. */
public class LockInterrupted {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int unguarded;
    static int guarded;

    static void interruptedBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LOCK.lock();
                    unguarded = 1; //~ data-race
                    LOCK.unlock();
                },
                () -> {
                    Thread.currentThread().interrupt();
                    try {
                        LOCK.lockInterruptibly();
                        LOCK.unlock();
                    } catch (InterruptedException e) {
                        unguarded++; //~ data-race
                    }
                });
    }

    static void lockedInTheEndOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LOCK.lock();
                    guarded = 1;
                    LOCK.unlock();
                },
                () -> {
                    Thread.currentThread().interrupt();
                    try {
                        LOCK.lockInterruptibly();
                    } catch (InterruptedException e) {
                        LOCK.lock();
                    }
                    guarded++;
                    LOCK.unlock();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        interruptedBad();
        lockedInTheEndOk();
        System.out.println("LockInterrupted " + unguarded + " " + guarded);
    }
}
