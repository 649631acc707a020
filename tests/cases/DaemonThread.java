import support.Invisible;

/** A daemon is never joined and is still there when the program ends. */
public class DaemonThread {
    static int raced;
    static int configured;
    static volatile int answer;

    static void idle() {
        try {
            Thread.sleep(600_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static Thread daemon(Runnable body) {
        Thread thread = new Thread(body);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void bothWriteBad() {
        Invisible.restart();
        daemon(() -> {
            raced = 1; //~ data-race
            Invisible.step(0);
            idle();
        });
        Invisible.step(1);
        raced = 2; //~ data-race
    }

    static void configuredBeforeStartOk() throws InterruptedException {
        configured = 5;
        daemon(() -> {
            answer = configured + 1;
            idle();
        });
        while (answer == 0) {
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        bothWriteBad();
        configuredBeforeStartOk();
        System.out.println("DaemonThread " + raced + " " + answer);
    }
}
