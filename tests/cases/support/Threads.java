package support;

/** Starts threads and joins them. Woven like any other class: start and join are recorded. */
public final class Threads {
    private Threads() {}

    /** What a thread does. */
    public interface Body {
        /** Does it. */
        void run() throws Exception;
    }

    /** Runs each body in a thread of its own, all at once. */
    public static void run(Body... bodies) throws InterruptedException {
        Invisible.restart();
        Thread[] threads = new Thread[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            Body body = bodies[i];
            threads[i] = new Thread(() -> call(body));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /**
     * Runs each body in a thread of its own. All threads are started at once, but each body waits invisibly until the
     * one before has ended: the order is always the same, and nothing in the trace says so.
     */
    public static void inTurn(Body... bodies) throws InterruptedException {
        Body[] waiting = new Body[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            Body body = bodies[i];
            int turn = i;
            waiting[i] = () -> {
                Invisible.await(turn);
                body.run();
                Invisible.step(turn);
            };
        }
        run(waiting);
    }

    /**
     * Takes a lock and gives it up again, which fixes the order in the trace: what a thread did before it passed comes
     * before what another one does after it. Only a lock, though, and so no hand-over: a race stays one. For cases
     * whose finding depends on the order in which the trace has accesses without synchronisation.
     */
    public static synchronized void pass() {
        // the lock is all
    }

    /** Runs a body; a case whose body fails must not pass. */
    public static void call(Body body) {
        try {
            body.run();
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }
}
