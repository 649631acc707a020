import java.util.function.IntSupplier;
import support.Threads;

/** Lambdas and method references capture objects and arrays; what they capture is shared if two threads run them. */
public class Lambdas {
    static class Counter {
        int open;
        int guarded;

        int next() {
            return ++open; //~ data-race
        }

        synchronized int nextGuarded() {
            return ++guarded;
        }
    }

    static int capturedArrayBad() throws InterruptedException {
        int[] box = new int[1];
        Threads.inTurn(
                () -> box[0]++, //~ data-race
                () -> box[0] += 2); //~ data-race
        return box[0];
    }

    static int boundReferenceBad() throws InterruptedException {
        Counter counter = new Counter();
        IntSupplier supplier = counter::next;
        Threads.inTurn(supplier::getAsInt, supplier::getAsInt);
        return counter.open;
    }

    static int boundReferenceOk() throws InterruptedException {
        Counter counter = new Counter();
        IntSupplier supplier = counter::nextGuarded;
        Threads.inTurn(supplier::getAsInt, supplier::getAsInt);
        return counter.guarded;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("Lambdas " + capturedArrayBad() + " " + boundReferenceBad() + " " + boundReferenceOk());
    }
}
