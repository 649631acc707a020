import java.util.concurrent.locks.ReentrantLock;
import support.Threads;

/**
 * A high-level race under a ReentrantLock: from lock() to unlock() is a block like any other. What is counted up apart is
 * taken for two counters, which is a miss where they belong together.
 */
public class LockViews {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int low;
    static int high;
    static int left;
    static int right;
    static int from;
    static int to;

    static void move(int distance) {
        LOCK.lock();
        low = distance; //~ high-level-race
        high = distance + 10; //~ high-level-race
        LOCK.unlock();
    }

    static void stretch(int distance) {
        LOCK.lock();
        low = -distance; //~ high-level-race
        LOCK.unlock();
        LOCK.lock();
        high = distance; //~ high-level-race
        LOCK.unlock();
    }

    static void drift(int distance) {
        LOCK.lock();
        left += distance;
        right += distance;
        LOCK.unlock();
    }

    static void widen(int distance) {
        LOCK.lock();
        left -= distance; //~ FN high-level-race
        LOCK.unlock();
        LOCK.lock();
        right += distance; //~ FN high-level-race
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

    static void countedInTwoBlocksBad() throws InterruptedException {
        Threads.inTurn(() -> drift(1), () -> widen(2), () -> drift(3));
    }

    static void inOneBlockOk() throws InterruptedException {
        Threads.inTurn(() -> shift(1), () -> shift(2), () -> shift(3));
    }

    public static void main(String[] args) throws InterruptedException {
        inTwoBlocksBad();
        countedInTwoBlocksBad();
        inOneBlockOk();
        System.out.println("LockViews " + low + " " + high + " " + from + " " + to);
    }
}
