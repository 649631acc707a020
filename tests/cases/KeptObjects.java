import support.Invisible;
import support.Threads;

/** Nothing need be told of an object that its maker gives to nobody; one whose constructor gives it away is another matter. */
public class KeptObjects {
    static final Object LOCK = new Object();
    static Leaky leaked;
    static int seen;

    static class Leaky {
        int value;

        Leaky() {
            synchronized (LOCK) {
                leaked = this;
            }
        }
    }

    static class Below extends Leaky {
        int more;
    }

    static class Box {
        int value;
    }

    static class Chained extends Box {
        int more;
    }

    static void constructorGivesItAwayBad() throws InterruptedException {
        Threads.run(
                () -> {
                    Leaky mine = new Leaky();
                    Invisible.step(0);
                    mine.value = 1; //~ data-race
                    Threads.pass();
                    Invisible.step(2);
                },
                () -> {
                    Leaky other;
                    Invisible.await(1);
                    synchronized (LOCK) {
                        other = leaked;
                    }
                    seen += other.value; //~ data-race
                    Threads.pass();
                    Invisible.step(1);
                });
    }

    static void constructorAboveGivesItAwayBad() throws InterruptedException {
        Threads.run(
                () -> {
                    Below mine = new Below();
                    Invisible.step(0);
                    mine.more = 1; //~ data-race
                    Threads.pass();
                    Invisible.step(2);
                },
                () -> {
                    Leaky other;
                    Invisible.await(1);
                    synchronized (LOCK) {
                        other = leaked;
                    }
                    seen += ((Below) other).more; //~ data-race
                    Threads.pass();
                    Invisible.step(1);
                });
    }

    static int work(int rounds) {
        Box box = new Box();
        Chained chained = new Chained();
        int[] sums = new int[4];
        for (int i = 0; i < rounds; i++) {
            box.value += i;
            chained.more += box.value;
            sums[i & 3] += chained.more;
        }
        return sums[0] + sums[1] + sums[2] + sums[3];
    }

    static void keptOk() throws InterruptedException {
        Threads.run(() -> work(100), () -> work(100));
    }

    public static void main(String[] args) throws InterruptedException {
        constructorGivesItAwayBad();
        constructorAboveGivesItAwayBad();
        keptOk();
        System.out.println("KeptObjects " + (seen >= 0));
    }
}
