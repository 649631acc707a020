import support.Threads;

/** Three locks in a ring, taken by three threads; with the ring cut open nothing can happen. */
public class LockOrderThree {
    static final class Ring {}

    static final class Row {}

    static final Ring A = new Ring();
    static final Ring B = new Ring();
    static final Ring C = new Ring();
    static final Row X = new Row();
    static final Row Y = new Row();
    static final Row Z = new Row();

    static void nest(Ring outer, Ring inner) {
        synchronized (outer) {
            synchronized (inner) { //~ lock-order
                Thread.onSpinWait();
            }
        }
    }

    static void nestInOrder(Row outer, Row inner) {
        synchronized (outer) {
            synchronized (inner) {
                Thread.onSpinWait();
            }
        }
    }

    static void ringBad() throws InterruptedException {
        Threads.inTurn(() -> nest(A, B), () -> nest(B, C), () -> nest(C, A));
    }

    static void openRingOk() throws InterruptedException {
        Threads.inTurn(() -> nestInOrder(X, Y), () -> nestInOrder(Y, Z), () -> nestInOrder(X, Z));
    }

    public static void main(String[] args) throws InterruptedException {
        ringBad();
        openRingOk();
        System.out.println("LockOrderThree done");
    }
}
