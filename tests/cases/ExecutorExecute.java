import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import support.Invisible;

/** execute() hands over to a task of which nobody hears again: two tasks of one pool are not ordered. */
public class ExecutorExecute {
    static int shared;
    static int handed;
    static int alone;

    static void twoTasksBad(ExecutorService pool) throws InterruptedException {
        Invisible.restart();
        CountDownLatch done = new CountDownLatch(2);
        pool.execute(() -> {
            Invisible.meet(2);
            shared = 1; //~ data-race
            Invisible.step(0);
            done.countDown();
        });
        pool.execute(() -> {
            Invisible.meet(2);
            Invisible.step(1);
            shared++; //~ data-race
            done.countDown();
        });
        done.await();
    }

    static void latchAtTheEndOk(ExecutorService pool) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        handed = 1;
        pool.execute(() -> {
            handed++;
            done.countDown();
        });
        done.await();
        handed++;
    }

    static void oneWorkerOk(ExecutorService single) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        Runnable task = () -> {
            alone++;
            done.countDown();
        };
        single.execute(task);
        single.execute(task);
        done.await();
        alone++;
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        ExecutorService single = Executors.newSingleThreadExecutor();
        twoTasksBad(pool);
        latchAtTheEndOk(pool);
        oneWorkerOk(single);
        pool.shutdown();
        single.shutdown();
        System.out.println("ExecutorExecute " + shared + " " + handed + " " + alone);
    }
}
