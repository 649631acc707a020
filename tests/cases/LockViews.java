import java.util.concurrent.locks.ReentrantLock;
import support.Threads;

/** A high-level race under a ReentrantLock: from lock() to unlock() is a block like any other. What is counted up apart is missed. */
public class LockViews {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int low;
    static int high;
    static int from;
    static int to;

    static void move(int distance) {
        LOCK.lock();
        low += distance; //~ FN high-level-race
        high += distance; //~ FN high-level-race
        LOCK.unlock();
    }

    static void stretch(int distance) {
        LOCK.lock();
        low -= distance; //~ FN high-level-race
        LOCK.unlock();
        LOCK.lock();
        high += distance; //~ FN high-level-race
        LOCK.unlock();
    }

    static void shift(int distance) {
        LOCK.lock();
        from += distance;
        to += distance;
        LOCK.unlock();
    }

    static void inTwoBlocksBad() throws InterruptedException {
        Threads.inTurn(() -> move(1), () -> stretch(2), () -> move(3));
    }

    static void inOneBlockOk() throws InterruptedException {
        Threads.inTurn(() -> shift(1), () -> shift(2), () -> shift(3));
    }

    public static void main(String[] args) throws InterruptedException {
        inTwoBlocksBad();
        inOneBlockOk();
        System.out.println("LockViews " + low + " " + high + " " + from + " " + to);
    }
}
