import support.Threads;

/** An object that is handed over by a race: the race is one, but nobody sees its final fields before they are set. */
public class FinalFieldPublished {
    static class Base {
        final int[] numbers;

        Base(int... numbers) {
            this.numbers = numbers;
        }
    }

    static class Derived extends Base {
        final String name;
        final Derived next;

        Derived(String name, Derived next) {
            super(1, 2, 3);
            this.name = name;
            this.next = next;
        }
    }

    static Derived shared;
    static int seen;

    static void handedOverBad() throws InterruptedException {
        Threads.inTurn(
                () -> shared = new Derived("a", new Derived("b", null)), //~ data-race
                () -> {
                    Derived mine = shared; //~ data-race
                    seen = mine.numbers.length;
                    seen += mine.name.length();
                    seen += mine.next.name.length();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        handedOverBad();
        System.out.println("FinalFieldPublished " + seen);
    }
}
