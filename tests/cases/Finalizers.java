import support.Threads;

/**
 * What a constructor does comes before the object's finalizer, even if it throws, and so does what is done to the object's
 * own fields afterwards: nobody has the object any more. What the object leads to may be in use still. A finalizer that the
 * program calls itself is a method like any other.
 */
@SuppressWarnings({"deprecation", "removal"})
public class Finalizers {
    static volatile boolean made, failed, changed, used;
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

    static class ChangedOk {
        int value;

        @Override
        protected synchronized void finalize() {
            value++;
            changed = true;
        }
    }

    /** Has more to do, and holds its own monitor while the finalizer above it runs. */
    static class ChangedBelowOk extends ChangedOk {
        int more;

        @Override
        protected synchronized void finalize() {
            more = value;
            super.finalize();
            value = more++;
        }
    }

    static class Led {
        int value;
    }

    static class LeadsBad {
        final Led led = new Led();

        @Override
        protected void finalize() {
            led.value++; //~ data-race
            used = true;
        }
    }

    static class CalledBad {
        int value;

        @Override
        protected void finalize() {
            value++; //~ data-race
        }
    }

    static final CalledBad called = new CalledBad();

    static void make() {
        new MadeOk();
        try {
            new FailedOk();
        } catch (IllegalStateException e) {
            // Its finalizer runs all the same.
        }
    }

    static void change() {
        new ChangedOk().value = 3;
    }

    static void changeBelow() {
        ChangedBelowOk below = new ChangedBelowOk();
        synchronized (below) {
            below.value = 4;
            below.more = 5;
        }
    }

    static void lead() {
        new LeadsBad().led.value = 6; //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        // Each in a thread of its own, so that the constructor of one orders nothing of another, and nothing is left on a stack.
        Threads.inTurn(Finalizers::make, Finalizers::change, Finalizers::changeBelow, Finalizers::lead);
        Threads.inTurn(called::finalize, called::finalize);
        long end = System.nanoTime() + 20_000_000_000L;
        while (!(made && failed && changed && used) && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println("Finalizers " + made + " " + failed + " " + changed + " " + used + " " + sum);
    }
}
