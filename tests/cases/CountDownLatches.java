import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import support.Invisible;
import support.Threads;

/** countDown() hands over to whoever has waited; an await() that timed out has waited in vain. */
public class CountDownLatches {
    static final CountDownLatch LATE = new CountDownLatch(1);
    static final CountDownLatch NEVER = new CountDownLatch(2);
    static final CountDownLatch BOTH = new CountDownLatch(2);
    static final int[] PARTS = new int[2];
    static int late;
    static int impatient;
    static int sum;

    static void writtenAfterCountDownBad() throws InterruptedException {
        Threads.run(
                () -> {
                    LATE.countDown();
                    late = 1; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    LATE.await();
                    Invisible.step(1);
                    late++; //~ data-race
                });
    }

    static void awaitTimesOutBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    impatient = 1; //~ data-race
                    NEVER.countDown();
                },
                () -> {
                    if (!NEVER.await(1, TimeUnit.MILLISECONDS)) {
                        impatient++; //~ data-race
                    }
                });
    }

    static void writtenBeforeCountDownOk() throws InterruptedException {
        Threads.run(
                () -> {
                    PARTS[0] = 1;
                    BOTH.countDown();
                },
                () -> {
                    PARTS[1] = 2;
                    BOTH.countDown();
                },
                () -> {
                    BOTH.await();
                    sum = PARTS[0] + PARTS[1];
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterCountDownBad();
        awaitTimesOutBad();
        writtenBeforeCountDownOk();
        System.out.println("CountDownLatches " + late + " " + impatient + " " + sum);
    }
}
