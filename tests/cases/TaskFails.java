import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import support.Invisible;

/** A task that fails hands its work back all the same; a get() that times out hands nothing back. */
public class TaskFails {
    static int early;
    static int failed;
    static int handled;

    static void getTimesOutBad(ExecutorService pool) throws Exception {
        Invisible.restart();
        Future<?> task = pool.submit(() -> {
            early = 1; //~ data-race
            Invisible.step(0);
            Invisible.step(2);
        });
        Invisible.await(1);
        try {
            task.get(1, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            early++; //~ data-race
        }
        Invisible.step(1);
        task.get();
    }

    static void failedTaskOk(ExecutorService pool) throws InterruptedException {
        Future<?> task = pool.submit(() -> {
            failed = 1;
            throw new IllegalStateException("on purpose");
        });
        try {
            task.get();
        } catch (ExecutionException e) {
            failed++;
        }
    }

    static void failedStageOk(ExecutorService pool) {
        CompletableFuture.runAsync(() -> {
            handled = 1;
            throw new IllegalStateException("on purpose");
        }, pool).exceptionally(thrown -> null).join();
        handled++;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        getTimesOutBad(pool);
        failedTaskOk(pool);
        failedStageOk(pool);
        pool.shutdown();
        System.out.println("TaskFails " + early + " " + failed + " " + handled);
    }
}
