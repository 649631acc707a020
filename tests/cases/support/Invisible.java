package support;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Forces the order in which threads do things, without telling. The weaver leaves this class alone, so that a trace
 * shows no synchronisation where a case waits here: a race that is forced into one order is still a race.
 *
 * No monitors and nothing from java.util.concurrent: those could be recorded inside the JDK.
 */
public final class Invisible {
    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final VarHandle ARRIVED;
    private static volatile int now;
    private static volatile int arrived;

    static {
        try {
            ARRIVED = MethodHandles.lookup().findStaticVarHandle(Invisible.class, "arrived", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Invisible() {}

    /** Starts again at step 0. Only while no other thread is waiting here. */
    public static void restart() {
        now = 0;
        arrived = 0;
    }

    /** Waits until it is step n's turn, and lets step n + 1 have its turn. */
    public static void step(int n) {
        await(n);
        now = n + 1;
    }

    /** Waits until it is step n's turn; whoever does the step must still say so with {@link #step}. */
    public static void await(int n) {
        long start = System.nanoTime();
        boolean interrupted = false;
        while (now < n) {
            interrupted |= pause(start, "step " + n);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until so many threads are here: so they are different threads, and all of them are running. */
    public static void meet(int parties) {
        long start = System.nanoTime();
        boolean interrupted = false;
        ARRIVED.getAndAdd(1);
        while (arrived < parties) {
            interrupted |= pause(start, "a meeting of " + parties);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the thread was interrupted in its sleep. */
    private static boolean pause(long start, String what) {
        if (System.nanoTime() - start > PATIENCE_NANOS) {
            throw new IllegalStateException("waited too long for " + what);
        }
        try {
            Thread.sleep(1);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
