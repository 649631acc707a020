import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import support.Threads;

/**
 * Whoever only tries to take a second lock does not wait for it for good, and neither does whoever goes on from writing
 * to reading: no deadlock begins there. What is taken while a tried lock is held still counts.
 */
public class LockOrderTries {
    static void withinOf(Lock outer, Runnable action) {
        outer.lock();
        try {
            action.run();
        } finally {
            outer.unlock();
        }
    }

    static void tried(Lock outer, Lock inner) {
        withinOf(outer, () -> {
            if (inner.tryLock()) {
                inner.unlock();
            }
        });
    }

    static void triedForAWhile(Lock outer, Lock inner) {
        withinOf(outer, () -> {
            try {
                if (inner.tryLock(1, TimeUnit.SECONDS)) {
                    inner.unlock();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    static void waited(Lock outer, Lock inner) {
        withinOf(outer, () -> withinOf(inner, Thread::onSpinWait));
    }

    static void triedOk() throws InterruptedException {
        Lock one = new ReentrantLock();
        Lock two = new ReentrantLock();
        Threads.inTurn(() -> tried(one, two), () -> waited(two, one));
        Threads.inTurn(() -> triedForAWhile(one, two), () -> waited(two, one));
    }

    static void triedToReadOk() throws InterruptedException {
        ReentrantReadWriteLock one = new ReentrantReadWriteLock();
        ReentrantReadWriteLock two = new ReentrantReadWriteLock();
        Threads.inTurn(
                () -> tried(one.writeLock(), two.readLock()),
                () -> waited(two.writeLock(), one.writeLock()));
    }

    static void triedStampOk() throws InterruptedException {
        StampedLock stamped = new StampedLock();
        Lock other = new ReentrantLock();
        Threads.inTurn(
                () -> withinOf(other, () -> {
                    long stamp = stamped.tryWriteLock();
                    if (stamp != 0) {
                        stamped.unlockWrite(stamp);
                    }
                }),
                () -> {
                    long stamp = stamped.writeLock();
                    withinOf(other, Thread::onSpinWait);
                    stamped.unlockWrite(stamp);
                });
    }

    static void downgradeOk() throws InterruptedException {
        ReentrantReadWriteLock both = new ReentrantReadWriteLock();
        Lock other = new ReentrantLock();
        Threads.inTurn(
                () -> {
                    both.writeLock().lock();
                    other.lock();
                    both.readLock().lock();
                    both.writeLock().unlock();
                    other.unlock();
                    both.readLock().unlock();
                },
                () -> waited(both.writeLock(), other));
    }

    static void takenUnderATriedLockBad() throws InterruptedException {
        Lock one = new ReentrantLock();
        Lock two = new ReentrantLock();
        Threads.inTurn(
                () -> {
                    if (one.tryLock()) {
                        two.lock(); //~ lock-order
                        two.unlock();
                        one.unlock();
                    }
                },
                () -> {
                    two.lock();
                    one.lock(); //~ lock-order
                    one.unlock();
                    two.unlock();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        triedOk();
        triedToReadOk();
        triedStampOk();
        downgradeOk();
        takenUnderATriedLockBad();
        System.out.println("LockOrderTries done");
    }
}
