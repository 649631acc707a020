import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import support.Invisible;

/** The runs of one periodic task come one after the other, in whatever threads; two tasks are not ordered. */
public class PeriodicTask {
    static int shared;
    static int ticks;

    static void twoTasksBad(ScheduledExecutorService pool) throws Exception {
        Invisible.restart();
        Runnable first = () -> {
            Invisible.meet(2);
            shared = 1; //~ data-race
            Invisible.step(0);
        };
        Runnable second = () -> {
            Invisible.meet(2);
            Invisible.step(1);
            shared++; //~ data-race
        };
        ScheduledFuture<?> one = pool.schedule(first, 0, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> two = pool.schedule(second, 0, TimeUnit.MILLISECONDS);
        one.get();
        two.get();
    }

    static int oneTaskOk(ScheduledExecutorService pool) throws Exception {
        CountDownLatch three = new CountDownLatch(3);
        Runnable tick = () -> {
            if (three.getCount() > 0) {
                ticks++;
                three.countDown();
            }
        };
        ScheduledFuture<?> future = pool.scheduleAtFixedRate(tick, 1, 1, TimeUnit.MILLISECONDS);
        three.await();
        future.cancel(false);
        return ticks;
    }

    public static void main(String[] args) throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        twoTasksBad(pool);
        int ticked = oneTaskOk(pool);
        pool.shutdownNow();
        System.out.println("PeriodicTask " + shared + " " + ticked);
    }
}
