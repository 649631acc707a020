import java.util.BitSet;
import support.Threads;

/** A copy is another object, however it came to be: what one thread does to it is nobody else's business. */
public class Clones {
    static class Page implements Cloneable {
        int number;
        Page next;

        Page copy() {
            try {
                return (Page) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static class Leaf extends Page {
        int value;

        @Override
        public Leaf clone() {
            return (Leaf) copy();
        }
    }

    static class Bits extends BitSet {
        int version;

        @Override
        public Bits clone() {
            return (Bits) super.clone();
        }
    }

    static final Leaf LEAF = new Leaf();
    static final Bits BITS = new Bits();

    public static void main(String[] args) throws InterruptedException {
        LEAF.number = 1;
        LEAF.value = 2;
        BITS.version = 3;
        BITS.set(4);
        ownCopiesOk();
        sameCopyBad();
    }

    static void ownCopiesOk() throws InterruptedException {
        Threads.Body change = () -> {
            Leaf mine = LEAF.clone();
            mine.number++;
            mine.value++;
            Bits bits = BITS.clone();
            bits.version++;
            bits.set(bits.version);
        };
        Threads.run(change, change);
    }

    static void sameCopyBad() throws InterruptedException {
        Leaf copy = LEAF.clone();
        Threads.run(() -> copy.value = 1, () -> copy.value = 2); //~ data-race
    }
}
