import support.Atomic;
import support.Threads;

/**
 * Section 4.4 of "Atomizer": written under a lock, read without one. Both methods are atomic; that the read is a data
 * race all the same is another rule's business.
 */
public class AtomizerReadMostly {
    static final Object LOCK = new Object();
    static int x;
    static int guarded;

    @Atomic
    static int read() {
        return x; //~ data-race
    }

    @Atomic
    static void increase() {
        synchronized (LOCK) {
            x = x + 1; //~ data-race
        }
    }

    @Atomic
    static int readGuarded() {
        synchronized (LOCK) {
            return guarded;
        }
    }

    @Atomic
    static void increaseGuarded() {
        synchronized (LOCK) {
            guarded = guarded + 1;
        }
    }

    static void readWithoutLockBad() throws InterruptedException {
        Threads.Body increase = AtomizerReadMostly::increase;
        Threads.inTurn(increase, increase, increase, AtomizerReadMostly::read, increase);
    }

    static void readWithLockOk() throws InterruptedException {
        Threads.Body increase = AtomizerReadMostly::increaseGuarded;
        Threads.inTurn(increase, increase, increase, AtomizerReadMostly::readGuarded, increase);
    }

    public static void main(String[] args) throws InterruptedException {
        readWithoutLockBad();
        readWithLockOk();
        System.out.println("AtomizerReadMostly " + x + " " + guarded);
    }
}
