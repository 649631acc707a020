import java.util.concurrent.CyclicBarrier;
import support.Invisible;
import support.Threads;

/** A barrier hands over in all directions, round after round. */
public class CyclicBarriers {
    static final CyclicBarrier ONCE = new CyclicBarrier(2);
    static final CyclicBarrier ROUNDS = new CyclicBarrier(2);
    static final int[] CELLS = new int[2];
    static int late;

    static void writtenAfterTheBarrierBad() throws InterruptedException {
        Threads.run(
                () -> {
                    ONCE.await();
                    late = 1; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    ONCE.await();
                    Invisible.step(1);
                    late++; //~ data-race
                });
    }

    static void rounds(int mine) throws Exception {
        for (int round = 0; round < 3; round++) {
            CELLS[mine] = round + 1;
            ROUNDS.await();
            int other = CELLS[1 - mine];
            ROUNDS.await();
            CELLS[mine] = other;
        }
    }

    static void ownCellThenTheOthersOk() throws InterruptedException {
        Threads.run(() -> rounds(0), () -> rounds(1));
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterTheBarrierBad();
        ownCellThenTheOthersOk();
        System.out.println("CyclicBarriers " + late + " " + CELLS[0] + " " + CELLS[1]);
    }
}
