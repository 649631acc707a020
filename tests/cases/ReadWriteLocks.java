import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import support.Invisible;
import support.Threads;

/** The two views of a read/write lock are one lock in two modes: whoever holds it to read must not write. */
public class ReadWriteLocks {
    static final ReadWriteLock RW = new ReentrantReadWriteLock();
    static final int[] SEEN = new int[2];
    static int careless;
    static int careful;

    static void writeUnderReadLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    RW.readLock().lock();
                    careless = 1; //~ data-race
                    RW.readLock().unlock();
                },
                () -> {
                    RW.readLock().lock();
                    careless++; //~ data-race
                    RW.readLock().unlock();
                });
    }

    static void read(int index) {
        RW.readLock().lock();
        Invisible.meet(2);
        SEEN[index] = careful;
        RW.readLock().unlock();
    }

    static void write(int value) {
        RW.writeLock().lock();
        careful = value;
        RW.writeLock().unlock();
    }

    static void twoReadersAndAWriterOk() throws InterruptedException {
        Threads.run(
                () -> {
                    write(5);
                    Invisible.step(0);
                    Invisible.await(2);
                    write(6);
                },
                () -> {
                    Invisible.await(1);
                    read(0);
                    Invisible.step(1);
                },
                () -> {
                    Invisible.await(1);
                    read(1);
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writeUnderReadLockBad();
        twoReadersAndAWriterOk();
        System.out.println("ReadWriteLocks " + careless + " " + SEEN[0] + " " + SEEN[1] + " " + careful);
    }
}
