import support.Invisible;
import support.Threads;

/** A thread that has to wait until another one has initialised a class sees all that was written meanwhile. */
public class ClassInitialisationWait {
    static class Table {
        static final int[] FINAL;
        static int[] plain;
        static int number;

        static {
            Invisible.step(0);
            // Long enough for the other thread to come and wait for the class.
            try {
                Thread.sleep(300);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            FINAL = new int[] {1, 2, 3};
            plain = new int[] {4, 5, 6};
            number = 7;
        }
    }

    static class Counts {
        static int number;

        static {
            Invisible.step(0);
            try {
                Thread.sleep(300);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            number = 7;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        finalOk();
        plainOk();
    }

    static void finalOk() throws InterruptedException {
        Threads.run(
                () -> sum(Table.FINAL),
                () -> {
                    Invisible.await(1);
                    sum(Table.FINAL);
                    sum(Table.plain);
                });
    }

    static void plainOk() throws InterruptedException {
        Threads.run(
                () -> print(Counts.number),
                () -> {
                    Invisible.await(1);
                    print(Counts.number);
                });
    }

    private static void sum(int[] table) {
        print(table[0] + table[1] + table[2]);
    }

    private static void print(int number) {
        if (number == 0) throw new IllegalStateException();
    }
}
