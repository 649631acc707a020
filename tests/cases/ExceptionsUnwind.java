import support.Threads;

/** An exception that leaves a synchronized method or block gives the lock up. */
public class ExceptionsUnwind {
    static class Stop extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stop() {
            super(null, null, false, false);
        }
    }

    static final Object LOCK = new Object();
    int fromMethod;
    int fromBlock;
    int inside;

    synchronized void failInMethod() {
        inside++;
        throw new Stop();
    }

    void failInBlock() {
        synchronized (LOCK) {
            throw new Stop();
        }
    }

    void unlockedAgain() {
        try {
            failInMethod();
        } catch (Stop e) {
            fromMethod++; //~ data-race
        }
        try {
            failInBlock();
        } catch (Stop e) {
            fromBlock++; //~ data-race
        }
    }

    static int afterTheExceptionBad() throws InterruptedException {
        ExceptionsUnwind shared = new ExceptionsUnwind();
        Threads.inTurn(shared::unlockedAgain, shared::unlockedAgain);
        return shared.fromMethod + shared.fromBlock;
    }

    static int beforeTheExceptionOk() throws InterruptedException {
        ExceptionsUnwind shared = new ExceptionsUnwind();
        Threads.Body body = () -> {
            Thread dying = new Thread(shared::failInMethod);
            dying.setUncaughtExceptionHandler((thread, thrown) -> {});
            dying.start();
            dying.join();
        };
        Threads.inTurn(body, body);
        return shared.inside;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("ExceptionsUnwind " + afterTheExceptionBad() + " " + beforeTheExceptionOk());
    }
}
