import support.Threads;

/** A wait() that ends with an exception holds the monitor again when the exception arrives. */
public class WaitInterrupted {
    static final Object MONITOR = new Object();
    static int outside;
    static int inside;

    static void caughtOutsideBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (MONITOR) {
                        outside = 1; //~ data-race
                    }
                },
                () -> {
                    Thread.currentThread().interrupt();
                    try {
                        synchronized (MONITOR) {
                            MONITOR.wait();
                        }
                    } catch (InterruptedException e) {
                        outside++; //~ data-race
                    }
                });
    }

    static void caughtInsideOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (MONITOR) {
                        inside = 1;
                    }
                },
                () -> {
                    Thread.currentThread().interrupt();
                    synchronized (MONITOR) {
                        try {
                            MONITOR.wait();
                        } catch (InterruptedException e) {
                            inside++;
                        }
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        caughtOutsideBad();
        caughtInsideOk();
        System.out.println("WaitInterrupted " + outside + " " + inside);
    }
}
