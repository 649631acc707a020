import java.util.concurrent.locks.ReentrantLock;
import support.Threads;

/** A synchronized method that takes and gives up another lock twice. */
public class AtomizerLockInBlock {
    static final ReentrantLock INNER = new ReentrantLock();
    static int count;
    static int whole;

    static void add(int n) {
        INNER.lock();
        count += n;
        INNER.unlock();
    }

    static synchronized void addTwice() {
        add(1);
        INNER.lock(); //~ non-atomic
        count += 2;
        INNER.unlock();
    }

    static void addWhole(int n) {
        INNER.lock();
        whole += n;
        INNER.unlock();
    }

    static synchronized void addAtOnce() {
        INNER.lock();
        addWhole(1);
        addWhole(2);
        INNER.unlock();
    }

    static void inTwoStepsBad() throws InterruptedException {
        Threads.inTurn(
                () -> add(10),
                AtomizerLockInBlock::addTwice,
                () -> add(10),
                AtomizerLockInBlock::addTwice);
    }

    static void inOneStepOk() throws InterruptedException {
        Threads.inTurn(
                () -> addWhole(10),
                AtomizerLockInBlock::addAtOnce,
                () -> addWhole(10),
                AtomizerLockInBlock::addAtOnce);
    }

    public static void main(String[] args) throws InterruptedException {
        inTwoStepsBad();
        inOneStepOk();
        System.out.println("AtomizerLockInBlock " + count + " " + whole);
    }
}
