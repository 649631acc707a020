import support.Invisible;
import support.Threads;

/**
 * Figure 2 of "High-level data races": a task of the Remote Agent locks a property and later says that it is achieved;
 * the daemon looks at both at once and can miss a violation in between.
 */
public class RemoteAgent {
    static class Property {
        int value;
        boolean achieved;
    }

    static class WholeProperty {
        int value;
        boolean achieved;
    }

    static final int N = 0;
    static final int[] SYSTEM_STATE = {0};
    static final Property[] TABLE = {new Property()};
    static final WholeProperty[] WHOLE_TABLE = {new WholeProperty()};
    static final int[] WARNINGS = new int[2];

    static void task(int wanted) {
        synchronized (TABLE) {
            TABLE[N].value = wanted; //~ high-level-race
        }
        // here the property is achieved
        synchronized (TABLE) {
            TABLE[N].achieved = true; //~ high-level-race
        }
    }

    static void daemon() {
        synchronized (TABLE) {
            if (TABLE[N].achieved && SYSTEM_STATE[N] != TABLE[N].value) { //~ high-level-race
                WARNINGS[0]++;
            }
        }
    }

    static void inTwoBlocksBad() throws InterruptedException {
        Threads.run(
                () -> {
                    task(1);
                    Invisible.step(0);
                    Invisible.step(2);
                    task(2);
                },
                () -> {
                    Invisible.await(1);
                    daemon();
                    Invisible.step(1);
                });
    }

    static void wholeTask(int wanted) {
        synchronized (WHOLE_TABLE) {
            WHOLE_TABLE[N].value = wanted;
            WHOLE_TABLE[N].achieved = true;
        }
    }

    static void wholeDaemon() {
        synchronized (WHOLE_TABLE) {
            if (WHOLE_TABLE[N].achieved && SYSTEM_STATE[N] != WHOLE_TABLE[N].value) {
                WARNINGS[1]++;
            }
        }
    }

    static void inOneBlockOk() throws InterruptedException {
        Threads.run(
                () -> {
                    wholeTask(1);
                    Invisible.step(0);
                    Invisible.step(2);
                    wholeTask(2);
                },
                () -> {
                    Invisible.await(1);
                    wholeDaemon();
                    Invisible.step(1);
                });
    }

    public static void main(String[] args) throws InterruptedException {
        inTwoBlocksBad();
        inOneBlockOk();
        System.out.println("RemoteAgent " + WARNINGS[0] + " " + WARNINGS[1]);
    }
}
