import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import support.Threads;

/** Lock order among ReentrantLocks, monitors and read/write locks; readers do not block each other. */
public class ReentrantLockOrder {
    static final Lock LEFT = new ReentrantLock();
    static final Object RIGHT = new Object();
    static final ReentrantReadWriteLock ONE = new ReentrantReadWriteLock();
    static final ReentrantReadWriteLock TWO = new ReentrantReadWriteLock();

    static void lockAndMonitorBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LEFT.lock();
                    synchronized (RIGHT) { //~ lock-order
                        Thread.onSpinWait();
                    }
                    LEFT.unlock();
                },
                () -> {
                    synchronized (RIGHT) {
                        LEFT.lock(); //~ lock-order
                        LEFT.unlock();
                    }
                });
    }

    static void nest(Lock outer, Lock inner) {
        outer.lock();
        inner.lock();
        inner.unlock();
        outer.unlock();
    }

    static void readersOk() throws InterruptedException {
        Threads.inTurn(
                () -> nest(ONE.readLock(), TWO.readLock()),
                () -> nest(TWO.readLock(), ONE.readLock()));
    }

    public static void main(String[] args) throws InterruptedException {
        lockAndMonitorBad();
        readersOk();
        System.out.println("ReentrantLockOrder done");
    }
}
