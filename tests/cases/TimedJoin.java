import support.Invisible;

/** join(millis) hands over only if the thread has ended; a loop on isAlive() hands over when it says no. */
public class TimedJoin {
    static int early;
    static int joined;
    static int polled;

    static void joinTimesOutBad() throws InterruptedException {
        Invisible.restart();
        Thread thread = new Thread(() -> {
            early = 1; //~ data-race
            Invisible.step(0);
            Invisible.step(2);
        });
        thread.start();
        Invisible.await(1);
        thread.join(1);
        early++; //~ data-race
        Invisible.step(1);
        thread.join();
    }

    static void joinInTimeOk() throws InterruptedException {
        Thread thread = new Thread(() -> joined = 1);
        thread.start();
        thread.join(20_000);
        joined++;
    }

    static void isAliveLoopOk() throws InterruptedException {
        Thread thread = new Thread(() -> polled = 1);
        thread.start();
        while (thread.isAlive()) {
            Thread.sleep(1);
        }
        polled++;
    }

    public static void main(String[] args) throws InterruptedException {
        joinTimesOutBad();
        joinInTimeOk();
        isAliveLoopOk();
        System.out.println("TimedJoin " + early + " " + joined + " " + polled);
    }
}
