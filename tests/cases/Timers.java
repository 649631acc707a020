import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import support.Invisible;

/** schedule() hands over to the timer's thread, in which all its tasks run one after the other. */
public class Timers {
    static int meddled;
    static int handed;
    static int ticks;

    static TimerTask task(Runnable body) {
        return new TimerTask() {
            @Override
            public void run() {
                body.run();
            }
        };
    }

    static void writtenAfterScheduleBad(Timer timer) throws InterruptedException {
        Invisible.restart();
        CountDownLatch done = new CountDownLatch(1);
        timer.schedule(task(() -> {
            Invisible.step(1);
            meddled++; //~ data-race
            done.countDown();
        }), 0);
        meddled = 1; //~ data-race
        Invisible.step(0);
        done.await();
    }

    static void beforeScheduleOk(Timer timer) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        handed = 1;
        TimerTask task = task(() -> {
            handed++;
            done.countDown();
        });
        timer.schedule(task, 1);
        timer.schedule(task(() -> {
            ticks++;
            done.countDown();
        }), 1);
        done.await();
        handed++;
    }

    public static void main(String[] args) throws InterruptedException {
        Timer timer = new Timer(true);
        writtenAfterScheduleBad(timer);
        beforeScheduleOk(timer);
        timer.cancel();
        System.out.println("Timers " + meddled + " " + handed + " " + ticks);
    }
}
