import support.Threads;

/** Synchronized blocks: two different locks protect nothing. */
public class SynchronizedBlock {
    static final Object FIRST = new Object();
    static final Object SECOND = new Object();
    static int apart;
    static int together;

    static void differentLocksBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (FIRST) {
                        apart = 1; //~ data-race
                    }
                },
                () -> {
                    synchronized (SECOND) {
                        apart = 2; //~ data-race
                    }
                });
    }

    static void sameLockOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (FIRST) {
                        together += 1;
                    }
                },
                () -> {
                    synchronized (FIRST) {
                        together += 2;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        differentLocksBad();
        sameLockOk();
        System.out.println("SynchronizedBlock " + apart + " " + together);
    }
}
