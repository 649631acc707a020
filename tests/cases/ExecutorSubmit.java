import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import support.Invisible;

/** submit() hands over to the task, get() hands the task's work back. */
public class ExecutorSubmit {
    static int meddled;
    static int handed;

    static void writtenAfterSubmitBad(ExecutorService pool) throws Exception {
        Invisible.restart();
        Future<?> task = pool.submit(() -> {
            Invisible.step(1);
            meddled++; //~ data-race
        });
        meddled = 1; //~ data-race
        Invisible.step(0);
        task.get();
    }

    static void beforeSubmitAndAfterGetOk(ExecutorService pool) throws Exception {
        handed = 1;
        Callable<Integer> increase = () -> ++handed;
        Future<Integer> first = pool.submit(increase);
        first.get();
        handed++;
        Future<?> second = pool.submit(() -> {
            handed++;
        });
        second.get();
        handed++;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        writtenAfterSubmitBad(pool);
        beforeSubmitAndAfterGetOk(pool);
        pool.shutdown();
        System.out.println("ExecutorSubmit " + meddled + " " + handed);
    }
}
