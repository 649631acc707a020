import support.Threads;

/** Two monitors held at once: the inner block keeps what the outer one protects, and gives up only its own. */
public class NestedMonitors {
    static final Object OUTER = new Object();
    static final Object INNER = new Object();
    static int onlyInner;
    static int both;

    static void innerIsGivenUpBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (INNER) {
                        onlyInner = 1; //~ data-race
                    }
                },
                () -> {
                    synchronized (OUTER) {
                        synchronized (INNER) {
                            both++;
                        }
                        onlyInner = 2; //~ data-race
                    }
                });
    }

    static void outerIsKeptOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (OUTER) {
                        synchronized (INNER) {
                            both++;
                        }
                    }
                },
                () -> {
                    synchronized (OUTER) {
                        synchronized (INNER) {
                            both++;
                        }
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        innerIsGivenUpBad();
        outerIsKeptOk();
        System.out.println("NestedMonitors " + onlyInner + " " + both);
    }
}
