/**
 * A finalizer that is inherited comes after the constructors of all classes below it. What is done to the object
 * afterwards does not come before it.
 */
@SuppressWarnings({"deprecation", "removal"})
public class FinalizersInherited {
    static volatile boolean made, changed;
    static volatile int sum;

    static class Base {
        int value;

        void last() {}

        @Override
        protected void finalize() {
            sum += value; //~ data-race
            last();
        }
    }

    static class Between extends Base {
        int more;

        Between() {
            more = 1;
        }
    }

    static class MadeOk extends Between {
        int own;

        MadeOk() {
            value = 2;
            own = 3;
        }

        @Override
        void last() {
            sum += more + own;
            own = 0;
            made = true;
        }
    }

    static class ChangedBad extends Between {
        @Override
        void last() {
            more++; //~ data-race
            changed = true;
        }
    }

    static void change() {
        ChangedBad object = new ChangedBad();
        object.more = 4; //~ data-race
        object.value = 5; //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        // Each in a thread of its own, so that what orders one of them says nothing of the other, and nothing is left on a stack.
        Thread one = new Thread(MadeOk::new), other = new Thread(FinalizersInherited::change);
        one.start();
        other.start();
        one.join();
        other.join();
        long end = System.nanoTime() + 20_000_000_000L;
        while (!(made && changed) && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println("FinalizersInherited " + made + " " + changed + " " + sum);
    }
}
