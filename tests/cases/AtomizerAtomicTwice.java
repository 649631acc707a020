import java.util.concurrent.atomic.AtomicInteger;
import support.Threads;

/**
 * Two uses of an atomic variable in one block: others can use it in between. One use is fine, and so are two if everybody
 * else holds the same lock.
 */
public class AtomizerAtomicTwice {
    static final AtomicInteger SEATS = new AtomicInteger(3);
    static final AtomicInteger INSIDE = new AtomicInteger();
    static final AtomicInteger TICKETS = new AtomicInteger();

    static synchronized void book() {
        if (SEATS.get() > 0) {
            SEATS.decrementAndGet(); //~ non-atomic
        }
    }

    static void cancel() {
        SEATS.incrementAndGet();
    }

    static synchronized void enter() {
        if (INSIDE.get() < 3) {
            INSIDE.incrementAndGet();
        }
    }

    static synchronized void count() {
        TICKETS.incrementAndGet();
    }

    static void checkThenActBad() throws InterruptedException {
        Threads.inTurn(AtomizerAtomicTwice::cancel, AtomizerAtomicTwice::cancel, AtomizerAtomicTwice::book);
    }

    static void underOneLockOk() throws InterruptedException {
        Threads.inTurn(AtomizerAtomicTwice::enter, AtomizerAtomicTwice::enter, AtomizerAtomicTwice::enter);
    }

    static void oneUpdateOk() throws InterruptedException {
        Threads.inTurn(AtomizerAtomicTwice::count, AtomizerAtomicTwice::count);
    }

    public static void main(String[] args) throws InterruptedException {
        checkThenActBad();
        underOneLockOk();
        oneUpdateOk();
        System.out.println("AtomizerAtomicTwice " + SEATS.get() + " " + TICKETS.get());
    }
}
