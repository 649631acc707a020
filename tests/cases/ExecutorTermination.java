import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import support.Invisible;

/** An awaitTermination() that says yes comes after all tasks; one that timed out comes after nothing. */
public class ExecutorTermination {
    static int early;
    static int done;

    static void timedOutBad() throws InterruptedException {
        Invisible.restart();
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(() -> {
            early = 1; //~ data-race
            Invisible.step(0);
            Invisible.step(2);
        });
        pool.shutdown();
        Invisible.await(1);
        if (!pool.awaitTermination(1, TimeUnit.MILLISECONDS)) {
            early++; //~ data-race
        }
        Invisible.step(1);
        while (!pool.awaitTermination(1, TimeUnit.SECONDS)) {
            Thread.onSpinWait();
        }
    }

    static void terminatedOk() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        pool.execute(() -> done = 1);
        pool.shutdown();
        if (pool.awaitTermination(20, TimeUnit.SECONDS)) {
            done++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        timedOutBad();
        terminatedOk();
        System.out.println("ExecutorTermination " + early + " " + done);
    }
}
