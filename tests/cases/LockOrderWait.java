import support.Threads;

/** wait() gives up one monitor and keeps the others; when it takes that one again, it takes it after them. */
public class LockOrderWait {
    static final class Gate {}

    static final Object OUTER = new Object();
    static final Object INNER = new Object();
    static final Gate FIRST = new Gate();
    static final Gate SECOND = new Gate();

    static void waitForTheOuterBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (OUTER) {
                        synchronized (INNER) {
                            OUTER.wait(1); //~ lock-order
                        }
                    }
                },
                () -> {
                    synchronized (OUTER) {
                        synchronized (INNER) { //~ lock-order
                            Thread.onSpinWait();
                        }
                    }
                });
    }

    static void waitForTheInnerOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (FIRST) {
                        synchronized (SECOND) {
                            SECOND.wait(1);
                        }
                    }
                },
                () -> {
                    synchronized (FIRST) {
                        synchronized (SECOND) {
                            Thread.onSpinWait();
                        }
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        waitForTheOuterBad();
        waitForTheInnerOk();
        System.out.println("LockOrderWait done");
    }
}
