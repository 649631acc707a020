import java.util.concurrent.locks.LockSupport;
import support.Invisible;

/** park() may return for no reason, so it is the volatile flag beside it that hands over. */
public class ParkUnpark {
    static volatile boolean flag;
    static int late;
    static int early;

    static void writtenAfterUnparkBad() throws InterruptedException {
        Invisible.restart();
        Thread sleeper = new Thread(() -> {
            LockSupport.park();
            Invisible.step(1);
            late++; //~ data-race
        });
        sleeper.start();
        LockSupport.unpark(sleeper);
        late = 1; //~ data-race
        Invisible.step(0);
        sleeper.join();
    }

    static void volatileFlagOk() throws InterruptedException {
        Thread sleeper = new Thread(() -> {
            while (!flag) {
                LockSupport.park();
            }
            early++;
        });
        sleeper.start();
        early = 1;
        flag = true;
        LockSupport.unpark(sleeper);
        sleeper.join();
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterUnparkBad();
        volatileFlagOk();
        System.out.println("ParkUnpark " + late + " " + early);
    }
}
