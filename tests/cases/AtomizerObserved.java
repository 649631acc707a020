import support.Invisible;
import support.Threads;

/** A block that another thread really came in between of, in this very run. */
public class AtomizerObserved {
    static final Object OUTER = new Object();
    static final Object INNER = new Object();
    static int split;
    static int whole;

    static void comesInBetweenBad() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (OUTER) {
                        int seen;
                        synchronized (INNER) {
                            seen = split;
                        }
                        Invisible.step(0);
                        Invisible.step(2);
                        synchronized (INNER) { //~ non-atomic
                            split = seen + 1; //~ plan stale-value
                        }
                    }
                },
                () -> {
                    Invisible.await(1);
                    synchronized (INNER) {
                        split += 10;
                    }
                    Invisible.step(1);
                });
    }

    static void keptOutOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (INNER) {
                        int seen = whole;
                        whole = seen + 1;
                    }
                },
                () -> {
                    synchronized (INNER) {
                        whole += 10;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        comesInBetweenBad();
        keptOutOk();
        System.out.println("AtomizerObserved " + split + " " + whole);
    }
}
