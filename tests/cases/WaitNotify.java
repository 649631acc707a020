import support.Invisible;
import support.Threads;

/** wait() gives the monitor up and takes it again; notify() and notifyAll() by themselves protect nothing. */
public class WaitNotify {
    static final Object MONITOR = new Object();
    static boolean ready;
    static boolean readyForAll;
    static int late;
    static int message;
    static int sum;

    static void writtenAfterNotifyBad() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (MONITOR) {
                        while (!ready) {
                            MONITOR.wait();
                        }
                    }
                    Invisible.step(1);
                    late++; //~ data-race
                },
                () -> {
                    synchronized (MONITOR) {
                        ready = true;
                        MONITOR.notify();
                    }
                    late = 5; //~ data-race
                    Invisible.step(0);
                });
    }

    static void take() throws InterruptedException {
        synchronized (MONITOR) {
            while (!readyForAll) {
                MONITOR.wait();
            }
            sum += message;
        }
    }

    static void underTheMonitorOk() throws InterruptedException {
        Threads.run(
                WaitNotify::take,
                WaitNotify::take,
                () -> {
                    synchronized (MONITOR) {
                        message = 7;
                        readyForAll = true;
                        MONITOR.notifyAll();
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterNotifyBad();
        underTheMonitorOk();
        System.out.println("WaitNotify " + late + " " + sum);
    }
}
