import java.util.concurrent.locks.StampedLock;
import support.Threads;

/** An optimistic read that is validated is good; one that nobody validates is a race. */
public class StampedOptimistic {
    static final StampedLock LOCK = new StampedLock();
    static int unchecked;
    static int checked;
    static int uncheckedSeen;
    static int checkedSeen;

    static void notValidatedBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    long stamp = LOCK.writeLock();
                    unchecked = 1; //~ data-race
                    LOCK.unlockWrite(stamp);
                },
                () -> {
                    if (LOCK.tryOptimisticRead() != 0) {
                        uncheckedSeen = unchecked; //~ data-race
                    }
                });
    }

    static void validatedOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    long stamp = LOCK.writeLock();
                    checked = 2;
                    LOCK.unlockWrite(stamp);
                },
                () -> {
                    long stamp = LOCK.tryOptimisticRead();
                    int value = checked;
                    if (LOCK.validate(stamp)) {
                        checkedSeen = value;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        notValidatedBad();
        validatedOk();
        System.out.println("StampedOptimistic " + uncheckedSeen + " " + checkedSeen);
    }
}
