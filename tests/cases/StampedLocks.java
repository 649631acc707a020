import java.util.concurrent.locks.StampedLock;
import support.Threads;

/** A StampedLock to write, to read, and converted from one to the other. */
public class StampedLocks {
    static final StampedLock LOCK = new StampedLock();
    static int careless;
    static int careful;
    static int seen;

    static void writeUnderReadStampBad() throws InterruptedException {
        Threads.Body body = () -> {
            long stamp = LOCK.readLock();
            careless++; //~ data-race
            LOCK.unlockRead(stamp);
        };
        Threads.inTurn(body, body);
    }

    static void everyStampOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    long stamp = LOCK.writeLock();
                    careful = 1;
                    LOCK.unlockWrite(stamp);
                },
                () -> {
                    long stamp = LOCK.tryWriteLock();
                    if (stamp != 0) {
                        careful++;
                        LOCK.unlock(stamp);
                    }
                },
                () -> {
                    long stamp = LOCK.readLock();
                    seen = careful;
                    long converted = LOCK.tryConvertToWriteLock(stamp);
                    if (converted != 0) {
                        careful++;
                        LOCK.unlock(converted);
                    } else {
                        LOCK.unlockRead(stamp);
                    }
                },
                () -> {
                    long stamp = LOCK.writeLock();
                    careful++;
                    LOCK.unlockWrite(stamp);
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writeUnderReadStampBad();
        everyStampOk();
        System.out.println("StampedLocks " + careless + " " + careful + " " + seen);
    }
}
