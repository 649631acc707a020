import support.Atomic;
import support.Threads;

/**
 * The copy constructor of Vector, as "Atomizer" knows it: it asks for the size and then for the elements, and another
 * thread may remove them in between. Not synchronized, so an annotation says that it should be atomic.
 */
public class AtomizerVectorCopy {
    static class Vec {
        int[] elements = new int[8];
        int size;

        synchronized int size() { return size; }

        synchronized int copyInto(int[] to) {
            System.arraycopy(elements, 0, to, 0, to.length); //~ non-atomic
            return size;
        }

        synchronized void removeAllElements() { size = 0; }

        synchronized void add(int element) {
            elements[size] = element;
            size++;
        }
    }

    static final int[] SEEN = new int[4];

    @Atomic
    static void copy(Vec from, int index) {
        int[] copy = new int[from.size()];
        SEEN[index] = from.copyInto(copy);
    }

    @Atomic
    static void copyLocked(LockedVec from, int index) {
        synchronized (from) {
            int[] copy = new int[from.size()];
            SEEN[index] = from.copyInto(copy);
        }
    }

    static class LockedVec extends Vec {}

    static void sizeThenElementsBad() throws InterruptedException {
        Vec vec = new Vec();
        Threads.inTurn(
                () -> vec.add(1),
                () -> copy(vec, 0),
                vec::removeAllElements,
                () -> copy(vec, 1));
    }

    static void underItsLockOk() throws InterruptedException {
        LockedVec vec = new LockedVec();
        Threads.inTurn(
                () -> vec.add(1),
                () -> copyLocked(vec, 2),
                vec::removeAllElements,
                () -> copyLocked(vec, 3));
    }

    public static void main(String[] args) throws InterruptedException {
        sizeThenElementsBad();
        underItsLockOk();
        System.out.println("AtomizerVectorCopy " + (SEEN[0] + SEEN[1]) + " " + (SEEN[2] + SEEN[3]));
    }
}
