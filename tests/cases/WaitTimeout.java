import support.Invisible;
import support.Threads;

/** A wait() that times out has given the monitor up all the same, and holds it again afterwards. */
public class WaitTimeout {
    static final Object MONITOR = new Object();
    static int unguarded;
    static int guarded;
    static int turns;

    static void afterTheTimeoutBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (MONITOR) {
                        MONITOR.wait(1);
                        turns++;
                    }
                    unguarded++; //~ data-race
                },
                () -> {
                    synchronized (MONITOR) {
                        unguarded = 2; //~ data-race
                    }
                });
    }

    static void whileItWaitsOk() throws InterruptedException {
        Threads.run(
                () -> {
                    synchronized (MONITOR) {
                        guarded++;
                        Invisible.step(0);
                        while (guarded < 2) {
                            MONITOR.wait(1);
                        }
                        guarded++;
                    }
                },
                () -> {
                    Invisible.step(1);
                    synchronized (MONITOR) {
                        guarded++;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        afterTheTimeoutBad();
        whileItWaitsOk();
        System.out.println("WaitTimeout " + unguarded + " " + guarded + " " + turns);
    }
}
