import support.Invisible;
import support.Threads;

/** wait() gives up a monitor that was taken twice, and takes it twice again. */
public class WaitReentrant {
    static final Object MONITOR = new Object();
    static boolean ready;
    static boolean readyToo;
    static int outside;
    static int inside;

    static void afterTheOuterExitBad() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (MONITOR) {
                        synchronized (MONITOR) {
                            while (!ready) {
                                MONITOR.wait();
                            }
                        }
                    }
                    outside++; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    synchronized (MONITOR) {
                        ready = true;
                        MONITOR.notifyAll();
                    }
                    Invisible.await(1);
                    synchronized (MONITOR) {
                        outside = 1; //~ data-race
                    }
                });
    }

    static void afterTheInnerExitOk() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (MONITOR) {
                        synchronized (MONITOR) {
                            while (!readyToo) {
                                MONITOR.wait();
                            }
                        }
                        inside++;
                    }
                },
                () -> {
                    synchronized (MONITOR) {
                        inside = 1;
                        readyToo = true;
                        MONITOR.notifyAll();
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        afterTheOuterExitBad();
        afterTheInnerExitOk();
        System.out.println("WaitReentrant " + outside + " " + inside);
    }
}
