import java.util.Vector;
import support.Threads;

/**
 * Two calls of a Vector in a block that should be atomic: another thread can come in between, unless the block holds
 * the lock of the Vector itself.
 */
public class VectorCompound {
    static final Vector<String> OPEN = new Vector<>();
    static final Vector<String> GUARDED = new Vector<>();
    static final Object LOCK = new Object();
    static int length;
    static int guardedLength;

    static void last() {
        synchronized (LOCK) {
            int size = OPEN.size();
            length = size == 0 ? 0 : OPEN.get(size - 1).length(); //~ non-atomic
        }
    }

    static void lastGuarded() {
        synchronized (GUARDED) {
            int size = GUARDED.size();
            guardedLength = size == 0 ? 0 : GUARDED.get(size - 1).length();
        }
    }

    static void twoCallsBad() throws InterruptedException {
        Threads.inTurn(
                () -> OPEN.add("one"),
                VectorCompound::last,
                () -> OPEN.add("two"),
                VectorCompound::last);
    }

    static void underItsOwnLockOk() throws InterruptedException {
        Threads.inTurn(
                () -> GUARDED.add("one"),
                VectorCompound::lastGuarded,
                () -> GUARDED.add("two"),
                VectorCompound::lastGuarded);
    }

    public static void main(String[] args) throws InterruptedException {
        twoCallsBad();
        underItsOwnLockOk();
        System.out.println("VectorCompound " + OPEN + " " + GUARDED);
    }
}
