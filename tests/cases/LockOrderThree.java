import support.Threads;

/** Three locks in a ring, taken by three threads; with the ring cut open nothing can happen. */
public class LockOrderThree {
    static final Object A = new Object();
    static final Object B = new Object();
    static final Object C = new Object();
    static final Object X = new Object();
    static final Object Y = new Object();
    static final Object Z = new Object();

    static void nest(Object outer, Object inner) {
        synchronized (outer) {
            synchronized (inner) { //~ lock-order
                Thread.onSpinWait();
            }
        }
    }

    static void nestInOrder(Object outer, Object inner) {
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
