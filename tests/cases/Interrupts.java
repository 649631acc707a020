import support.Invisible;

/** interrupt() hands over to the thread that finds itself interrupted. */
public class Interrupts {
    static int late;
    static int early;

    static void awaitInterrupt() {
        try {
            Thread.sleep(20_000);
            throw new IllegalStateException("nobody interrupted");
        } catch (InterruptedException e) {
            // that is the signal
        }
    }

    static void writtenAfterInterruptBad() throws InterruptedException {
        Invisible.restart();
        Thread thread = new Thread(() -> {
            awaitInterrupt();
            Invisible.step(1);
            late++; //~ data-race
        });
        thread.start();
        thread.interrupt();
        late = 3; //~ data-race
        Invisible.step(0);
        thread.join();
    }

    static void writtenBeforeInterruptOk() throws InterruptedException {
        Thread thread = new Thread(() -> {
            awaitInterrupt();
            early++;
        });
        thread.start();
        early = 3;
        thread.interrupt();
        thread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterInterruptBad();
        writtenBeforeInterruptOk();
        System.out.println("Interrupts " + late + " " + early);
    }
}
