import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import support.Invisible;

/** invokeAll() hands over to every task and returns when all have handed back; the tasks are not ordered. */
public class ExecutorInvokeAll {
    static final int[] PARTS = new int[2];
    static int shared;
    static int factor;

    static int together(int turn) {
        Invisible.meet(2);
        Invisible.await(turn);
        shared++; //~ data-race
        Invisible.step(turn);
        return turn;
    }

    static void sharedCounterBad(ExecutorService pool) throws InterruptedException {
        Invisible.restart();
        pool.invokeAll(List.<Callable<Integer>>of(() -> together(0), () -> together(1)));
    }

    static void ownCellsOk(ExecutorService pool) throws InterruptedException {
        factor = 5;
        pool.invokeAll(List.<Callable<Integer>>of(() -> PARTS[0] = factor, () -> PARTS[1] = 2 * factor));
        factor = PARTS[0] + PARTS[1];
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        sharedCounterBad(pool);
        ownCellsOk(pool);
        pool.shutdown();
        System.out.println("ExecutorInvokeAll " + shared + " " + factor);
    }
}
