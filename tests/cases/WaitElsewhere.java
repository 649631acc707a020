import java.lang.reflect.InvocationTargetException;
import support.Invisible;
import support.Threads;

/** Code that is not woven waits on a monitor that the program has taken: it is given up all the same. */
public class WaitElsewhere {
    static final Object LOCK = new Object();
    static int guarded;
    static int racy;

    public static void main(String[] args) throws InterruptedException {
        byReflectionOk();
        joinOk();
        otherLockBad();
    }

    private static void waitFor(Object lock) {
        try {
            Object.class.getMethod("wait").invoke(lock);
        } catch (IllegalAccessException | InvocationTargetException | NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    static void byReflectionOk() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (LOCK) {
                        Invisible.step(0);
                        waitFor(LOCK);
                        guarded++;
                    }
                },
                () -> {
                    Invisible.await(1);
                    synchronized (LOCK) {
                        guarded++;
                        LOCK.notify();
                    }
                });
    }

    /** A thread that is joined is waited for on its own monitor. */
    static void joinOk() throws InterruptedException {
        Thread other = new Thread() {
            @Override
            public void run() {
                Invisible.await(1);
                synchronized (this) {
                    guarded++;
                }
            }
        };
        Invisible.restart();
        synchronized (other) {
            other.start();
            Invisible.step(0);
            other.join();
            guarded++;
        }
    }

    static void otherLockBad() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (LOCK) {
                        Invisible.step(0);
                        waitFor(LOCK);
                    }
                    racy++; //~ data-race
                },
                () -> {
                    Invisible.await(1);
                    synchronized (LOCK) {
                        LOCK.notify();
                    }
                    racy++; //~ data-race
                });
    }
}
