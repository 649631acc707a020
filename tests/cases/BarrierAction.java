import java.util.concurrent.CyclicBarrier;
import support.Invisible;
import support.Threads;

/** The action of a barrier runs in the thread that comes last, after all have come and before any goes on. */
public class BarrierAction {
    static final int[] CELLS = new int[2];
    static final CyclicBarrier BARRIER = new CyclicBarrier(2, BarrierAction::addUp);
    static int total;
    static int late;

    static void addUp() {
        total += CELLS[0] + CELLS[1];
    }

    static void writtenAfterTheActionBad() throws InterruptedException {
        Threads.run(
                () -> {
                    BARRIER.await();
                    late = 1; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    BARRIER.await();
                    Invisible.step(1);
                    late++; //~ data-race
                });
    }

    static void round(int mine) throws Exception {
        CELLS[mine] = 2;
        BARRIER.await();
        CELLS[mine] += total;
        BARRIER.await();
    }

    static void readByTheActionOk() throws InterruptedException {
        Threads.run(() -> round(0), () -> round(1));
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterTheActionBad();
        readByTheActionOk();
        System.out.println("BarrierAction " + late + " " + total);
    }
}
