/**
 * A finalizer that is inherited comes after the constructors of all classes below it, and after what is done
 * to the object's own fields. What it leads to may be in use still.
 */
@SuppressWarnings({"deprecation", "removal"})
public class FinalizersInherited {
    static volatile boolean made, changed, used;
    static volatile int sum;

    static class Base {
        int value;

        void last() {}

        @Override
        protected void finalize() {
            sum += value;
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

    static class ChangedOk extends Between {
        @Override
        void last() {
            more++;
            changed = true;
        }
    }

    static class Led {
        int value;
    }

    static class LeadsBad extends Between {
        final Led led = new Led();

        @Override
        void last() {
            led.value++; //~ data-race
            used = true;
        }
    }

    static void change() {
        ChangedOk object = new ChangedOk();
        object.more = 4;
        object.value = 5;
    }

    static void lead() {
        new LeadsBad().led.value = 6; //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        // Each in a thread of its own, so that what orders one of them says nothing of the other, and nothing is left on a stack.
        Thread one = new Thread(MadeOk::new), other = new Thread(FinalizersInherited::change);
        Thread last = new Thread(FinalizersInherited::lead);
        one.start();
        other.start();
        last.start();
        one.join();
        other.join();
        last.join();
        long end = System.nanoTime() + 20_000_000_000L;
        while (!(made && changed && used) && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(5);
        }
        System.out.println("FinalizersInherited " + made + " " + changed + " " + used + " " + sum);
    }
}
