import support.Invisible;
import support.Threads;

/** A volatile flag hands over what was written before it, and nothing that is written after it. */
public class VolatileFlag {
    static volatile boolean lateFlag;
    static volatile boolean flag;
    static int late;
    static int early;

    static void writtenAfterTheFlagBad() throws InterruptedException {
        Threads.run(
                () -> {
                    lateFlag = true;
                    late = 1; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    Invisible.step(1);
                    if (lateFlag) {
                        late++; //~ data-race
                    }
                });
    }

    static void writtenBeforeTheFlagOk() throws InterruptedException {
        Threads.run(
                () -> {
                    early = 1;
                    flag = true;
                },
                () -> {
                    while (!flag) {
                        Thread.onSpinWait();
                    }
                    early++;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterTheFlagBad();
        writtenBeforeTheFlagOk();
        System.out.println("VolatileFlag " + late + " " + early);
    }
}
