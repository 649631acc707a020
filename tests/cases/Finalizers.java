import support.Threads;

/**
 * What a constructor does comes before the object's finalizer, even if it throws. What is done to the object afterwards
 * does not.
 */
@SuppressWarnings({"deprecation", "removal"})
public class Finalizers {
    static volatile boolean made, failed, changed;
    static volatile int sum;

    static class MadeOk {
        int value;

        MadeOk() {
            value = 1;
        }

        @Override
        protected void finalize() {
            sum += value;
            value = 0;
            made = true;
        }
    }

    static class FailedOk {
        int value;

        FailedOk() {
            value = 2;
            if (sum >= 0) throw new IllegalStateException("as it should");
        }

        @Override
        protected void finalize() {
            sum += value;
            value = 0;
            failed = true;
        }
    }

    static class ChangedBad {
        int value;

        @Override
        protected void finalize() {
            value++; //~ data-race
            changed = true;
        }
    }

    static void make() {
        new MadeOk();
        try {
            new FailedOk();
        } catch (IllegalStateException e) {
            // Its finalizer runs all the same.
        }
        ChangedBad object = new ChangedBad();
        object.value = 3; //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        // In a thread of its own, so that nothing of it is left on a stack.
        Threads.inTurn(Finalizers::make);
        long end = System.nanoTime() + 20_000_000_000L;
        while (!(made && failed && changed) && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println("Finalizers " + made + " " + failed + " " + changed + " " + sum);
    }
}
