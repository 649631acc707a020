import support.Threads;

/**
 * A lock that happens to be handed over orders two accesses in this run only: in another run the second thread is
 * first. What is written before start() or under the lock itself needs no luck.
 */
public class LockHandOver {
    static final Object LOCK = new Object();
    static int lucky;
    static int guarded;
    static int turns;

    static void outsideTheLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    lucky = 1; //~ data-race
                    synchronized (LOCK) {
                        turns++;
                    }
                },
                () -> {
                    synchronized (LOCK) {
                        turns++;
                    }
                    lucky += 2; //~ data-race
                });
    }

    static void insideTheLockOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (LOCK) {
                        guarded = 1;
                    }
                },
                () -> {
                    synchronized (LOCK) {
                        guarded += 2;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        outsideTheLockBad();
        insideTheLockOk();
        System.out.println("LockHandOver " + lucky + " " + guarded + " " + turns);
    }
}
