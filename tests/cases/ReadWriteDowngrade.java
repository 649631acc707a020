import java.util.concurrent.locks.ReentrantReadWriteLock;
import support.Threads;

/** A writer takes the read lock before it gives the write lock up: from then on it may read, but not write. */
public class ReadWriteDowngrade {
    static final ReentrantReadWriteLock RW = new ReentrantReadWriteLock();
    static final int[] SEEN = new int[2];
    static int careless;
    static int careful;

    static void writeAfterDowngradeBad() throws InterruptedException {
        Threads.Body body = () -> {
            RW.writeLock().lock();
            RW.readLock().lock();
            RW.writeLock().unlock();
            careless++; //~ data-race
            RW.readLock().unlock();
        };
        Threads.inTurn(body, body);
    }

    static void downgrade(int index) {
        RW.writeLock().lock();
        careful++;
        RW.readLock().lock();
        RW.writeLock().unlock();
        SEEN[index] = careful;
        RW.readLock().unlock();
    }

    static void readAfterDowngradeOk() throws InterruptedException {
        Threads.inTurn(() -> downgrade(0), () -> downgrade(1));
    }

    public static void main(String[] args) throws InterruptedException {
        writeAfterDowngradeBad();
        readAfterDowngradeOk();
        System.out.println("ReadWriteDowngrade " + careless + " " + SEEN[0] + " " + SEEN[1]);
    }
}
