import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import support.Invisible;

/** schedule() hands over like submit(). */
public class ScheduledExecutors {
    static int meddled;
    static int handed;

    static void writtenAfterScheduleBad(ScheduledExecutorService pool) throws Exception {
        Invisible.restart();
        Runnable task = () -> {
            Invisible.step(1);
            meddled++; //~ data-race
        };
        ScheduledFuture<?> future = pool.schedule(task, 1, TimeUnit.MILLISECONDS);
        meddled = 1; //~ data-race
        Invisible.step(0);
        future.get();
    }

    static void beforeScheduleOk(ScheduledExecutorService pool) throws Exception {
        handed = 1;
        ScheduledFuture<Integer> future = pool.schedule(() -> ++handed, 1, TimeUnit.MILLISECONDS);
        future.get();
        handed++;
    }

    public static void main(String[] args) throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        writtenAfterScheduleBad(pool);
        beforeScheduleOk(pool);
        pool.shutdownNow();
        System.out.println("ScheduledExecutors " + meddled + " " + handed);
    }
}
