import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import support.Invisible;
import support.Threads;

/** Every way to take a ReentrantLock; a tryLock that fails has taken nothing. */
public class ReentrantLocks {
    static final ReentrantLock BUSY = new ReentrantLock();
    static final ReentrantLock LOCK = new ReentrantLock();
    static int tried;
    static int guarded;

    static void failedTryLockBad() throws InterruptedException {
        Threads.run(
                () -> {
                    BUSY.lock();
                    tried = 1; //~ data-race
                    Invisible.step(0);
                    Invisible.step(2);
                    BUSY.unlock();
                },
                () -> {
                    Invisible.await(1);
                    boolean locked = BUSY.tryLock();
                    tried++; //~ data-race
                    Invisible.step(1);
                    if (locked) {
                        BUSY.unlock();
                    }
                });
    }

    static void everyWayOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LOCK.lock();
                    LOCK.lock();
                    guarded++;
                    LOCK.unlock();
                    guarded++;
                    LOCK.unlock();
                },
                () -> {
                    if (LOCK.tryLock()) {
                        guarded++;
                        LOCK.unlock();
                    }
                },
                () -> {
                    if (LOCK.tryLock(20, TimeUnit.SECONDS)) {
                        guarded++;
                        LOCK.unlock();
                    }
                },
                () -> {
                    LOCK.lockInterruptibly();
                    guarded++;
                    LOCK.unlock();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        failedTryLockBad();
        everyWayOk();
        System.out.println("ReentrantLocks " + tried + " " + guarded);
    }
}
