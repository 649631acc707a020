import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import support.Invisible;
import support.Threads;

/** A Condition belongs to its lock: await() gives that lock up and takes it again. */
public class Conditions {
    static final ReentrantLock LOCK = new ReentrantLock();
    static final Condition CHANGED = LOCK.newCondition();
    static boolean lateReady;
    static boolean ready;
    static int late;
    static int message;

    static void writtenAfterSignalBad() throws InterruptedException {
        Threads.run(
                () -> {
                    LOCK.lock();
                    while (!lateReady) {
                        CHANGED.await();
                    }
                    LOCK.unlock();
                    Invisible.step(1);
                    late++; //~ data-race
                },
                () -> {
                    LOCK.lock();
                    lateReady = true;
                    CHANGED.signal();
                    LOCK.unlock();
                    late = 5; //~ data-race
                    Invisible.step(0);
                });
    }

    static void underTheLockOk() throws InterruptedException {
        Threads.run(
                () -> {
                    LOCK.lock();
                    while (!ready) {
                        CHANGED.await(1, TimeUnit.MILLISECONDS);
                    }
                    message++;
                    LOCK.unlock();
                },
                () -> {
                    LOCK.lock();
                    while (!ready) {
                        CHANGED.awaitUninterruptibly();
                    }
                    message++;
                    LOCK.unlock();
                },
                () -> {
                    LOCK.lock();
                    message = 5;
                    ready = true;
                    CHANGED.signalAll();
                    LOCK.unlock();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterSignalBad();
        underTheLockOk();
        System.out.println("Conditions " + late + " " + message);
    }
}
