import java.util.concurrent.Phaser;
import support.Invisible;
import support.Threads;

/** A phaser: arriving hands over to whoever waits for the phase to end. */
public class Phasers {
    static final Phaser ONCE = new Phaser(2);
    static final Phaser ROUNDS = new Phaser(2);
    static final Phaser ONE_WAY = new Phaser(1);
    static final int[] CELLS = new int[2];
    static final int[] SUMS = new int[2];
    static int late;
    static int sent;

    static void writtenAfterArrivingBad() throws InterruptedException {
        Threads.run(
                () -> {
                    ONCE.arrive();
                    late = 1; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    ONCE.arriveAndAwaitAdvance();
                    Invisible.step(1);
                    late++; //~ data-race
                });
    }

    static void rounds(int mine) {
        CELLS[mine] = mine + 1;
        ROUNDS.arriveAndAwaitAdvance();
        SUMS[mine] = CELLS[0] + CELLS[1];
        ROUNDS.arriveAndAwaitAdvance();
        CELLS[1 - mine] = 9;
    }

    static void roundsOk() throws InterruptedException {
        Threads.run(() -> rounds(0), () -> rounds(1));
    }

    static void oneWayOk() throws InterruptedException {
        Threads.run(
                () -> {
                    sent = 1;
                    ONE_WAY.arrive();
                },
                () -> {
                    ONE_WAY.awaitAdvance(0);
                    sent++;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterArrivingBad();
        roundsOk();
        oneWayOk();
        System.out.println("Phasers " + late + " " + SUMS[0] + " " + SUMS[1] + " " + sent);
    }
}
