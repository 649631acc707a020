import java.util.ArrayList;
import java.util.List;
import support.Threads;

/** Locks that are plain objects, lists or elements of an array: each pair of them that is taken both ways is one cycle. */
public class LockOrderObjects {
    static final class Bridge {
        final Object north = new Object();
        final Object south = new Object();
        final List<String> waiting = new ArrayList<>();

        void cross() {
            synchronized (north) {
                synchronized (south) { //~ lock-order
                    Thread.onSpinWait();
                }
            }
        }

        void crossBack() {
            synchronized (south) {
                synchronized (north) { //~ lock-order
                    Thread.onSpinWait();
                }
            }
        }

        void queue() {
            synchronized (north) {
                synchronized (waiting) {
                    waiting.add("car");
                }
            }
        }

        int queued() {
            synchronized (north) {
                synchronized (waiting) {
                    return waiting.size();
                }
            }
        }
    }

    static final Object[] STRIPES = {new Object(), new Object()};

    static void both(int first, int second) {
        Object outer = STRIPES[first];
        synchronized (outer) {
            synchronized (STRIPES[second]) { //~ lock-order
                Thread.onSpinWait();
            }
        }
    }

    static void crossingBad() throws InterruptedException {
        Bridge bridge = new Bridge();
        Threads.inTurn(bridge::cross, bridge::crossBack);
    }

    static void stripesBad() throws InterruptedException {
        Threads.inTurn(() -> both(0, 1), () -> both(1, 0));
    }

    static int queueOk() throws InterruptedException {
        Bridge bridge = new Bridge();
        Threads.inTurn(bridge::queue, bridge::queued);
        return bridge.queued();
    }

    public static void main(String[] args) throws InterruptedException {
        crossingBad();
        stripesBad();
        System.out.println("LockOrderObjects " + queueOk());
    }
}
