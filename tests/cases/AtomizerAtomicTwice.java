import java.util.concurrent.atomic.AtomicInteger;
import support.Threads;

/** Two uses of an atomic variable in one block: others can use it in between. One use is fine. */
public class AtomizerAtomicTwice {
    static final AtomicInteger SEATS = new AtomicInteger(3);
    static final AtomicInteger TICKETS = new AtomicInteger();

    static synchronized void book() {
        if (SEATS.get() > 0) {
            SEATS.decrementAndGet(); //~ non-atomic
        }
    }

    static synchronized void count() {
        TICKETS.incrementAndGet();
    }

    static void checkThenActBad() throws InterruptedException {
        Threads.inTurn(AtomizerAtomicTwice::book, AtomizerAtomicTwice::book);
    }

    static void oneUpdateOk() throws InterruptedException {
        Threads.inTurn(AtomizerAtomicTwice::count, AtomizerAtomicTwice::count);
    }

    public static void main(String[] args) throws InterruptedException {
        checkThenActBad();
        oneUpdateOk();
        System.out.println("AtomizerAtomicTwice " + SEATS.get() + " " + TICKETS.get());
    }
}
