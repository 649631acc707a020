import support.Invisible;

/** start() hands everything to the new thread, join() hands everything back. */
public class StartJoin {
    static int early;
    static int handed;

    static void writeAfterStartBad() throws InterruptedException {
        Invisible.restart();
        Thread thread = new Thread(() -> {
            Invisible.step(1);
            early++; //~ data-race
        });
        thread.start();
        early = 1; //~ data-race
        Invisible.step(0);
        thread.join();
    }

    static void beforeStartAndAfterJoinOk() throws InterruptedException {
        handed = 1;
        Thread thread = new Thread(() -> handed++);
        thread.start();
        thread.join();
        handed++;
    }

    public static void main(String[] args) throws InterruptedException {
        writeAfterStartBad();
        beforeStartAndAfterJoinOk();
        System.out.println("StartJoin " + early + " " + handed);
    }
}
