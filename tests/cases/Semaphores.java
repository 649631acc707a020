import java.util.concurrent.Semaphore;
import support.Invisible;
import support.Threads;

/** A semaphore is a lock with one permit, a signal with none at first, and neither with two. */
public class Semaphores {
    static final Semaphore TWO = new Semaphore(2);
    static final Semaphore MUTEX = new Semaphore(1);
    static final Semaphore SIGNAL = new Semaphore(0);
    static int twoInside;
    static int alone;
    static int sent;

    static void twoPermitsBad() throws InterruptedException {
        Threads.run(
                () -> {
                    TWO.acquire();
                    twoInside = 1; //~ data-race
                    Invisible.step(0);
                    Invisible.step(2);
                    TWO.release();
                },
                () -> {
                    TWO.acquire();
                    Invisible.await(1);
                    twoInside++; //~ data-race
                    Invisible.step(1);
                    TWO.release();
                });
    }

    static void mutexOk() throws InterruptedException {
        Threads.run(
                () -> {
                    MUTEX.acquire();
                    alone++;
                    MUTEX.release();
                },
                () -> {
                    MUTEX.acquireUninterruptibly();
                    alone++;
                    MUTEX.release();
                });
    }

    static void signalOk() throws InterruptedException {
        Threads.run(
                () -> {
                    sent = 1;
                    SIGNAL.release();
                },
                () -> {
                    SIGNAL.acquire();
                    sent++;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        twoPermitsBad();
        mutexOk();
        signalOk();
        System.out.println("Semaphores " + twoInside + " " + alone + " " + sent);
    }
}
