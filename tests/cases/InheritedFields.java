import support.Threads;

/** An inherited field is one variable, whichever class its users name it by. */
public class InheritedFields {
    static class Base {
        int open;
        int guarded;
        static int shared;
    }

    static class Derived extends Base {
        void bump() {
            open++; //~ data-race
        }

        synchronized void bumpGuarded() {
            guarded++;
        }
    }

    interface Counting {
        int[] COUNTS = new int[2];

        Base base();

        default void count() {
            base().open++; //~ data-race
        }

        default void countGuarded() {
            synchronized (base()) {
                base().guarded++;
            }
        }
    }

    static void throughSubclassAndInterfaceBad() throws InterruptedException {
        Derived derived = new Derived();
        Counting counting = () -> derived;
        Threads.inTurn(derived::bump, counting::count);
        Threads.inTurn(
                () -> Derived.shared++, //~ data-race
                () -> Base.shared++); //~ data-race
        System.out.println("InheritedFields " + derived.open + " " + Base.shared);
    }

    static void throughSubclassAndInterfaceOk() throws InterruptedException {
        Derived derived = new Derived();
        Counting counting = () -> derived;
        Threads.inTurn(derived::bumpGuarded, counting::countGuarded);
        System.out.println("InheritedFields " + derived.guarded + " " + Counting.COUNTS.length);
    }

    public static void main(String[] args) throws InterruptedException {
        throughSubclassAndInterfaceBad();
        throughSubclassAndInterfaceOk();
    }
}
