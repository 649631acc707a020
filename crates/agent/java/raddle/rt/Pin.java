package raddle.rt;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Keeps a virtual thread on its carrier while it uses what it shares with carriers. From Java 24 on, one that has to wait for a
 * monitor leaves its carrier; when its turn comes it needs one to go on, and all of them may be waiting for that same monitor.
 * One that stays where it is waits as any other thread does.
 */
final class Pin {
    private static final Class<?> VIRTUAL;
    private static final MethodHandle PIN, UNPIN;

    static {
        Class<?> virtual = null;
        MethodHandle pin = null, unpin = null;
        try {
            Class<?> continuation = Class.forName("jdk.internal.vm.Continuation", false, null);
            MethodType type = MethodType.methodType(void.class);
            pin = Link.TRUSTED.findStatic(continuation, "pin", type);
            unpin = Link.TRUSTED.findStatic(continuation, "unpin", type);
            virtual = Class.forName("java.lang.VirtualThread", false, null);
        } catch (ReflectiveOperationException none) {
            // This Java has no virtual threads.
        }
        VIRTUAL = virtual;
        PIN = pin;
        UNPIN = unpin;
    }

    private Pin() {}

    /** Whether a thread is one that may leave its carrier. */
    @ForceInline
    static boolean isVirtual(Thread thread) {
        return thread.getClass() == VIRTUAL;
    }

    /** Keeps the current thread where it is; whether {@link #release} has to be called. */
    @ForceInline
    static boolean hold(Thread current) {
        return isVirtual(current) && hold();
    }

    @DontInline
    private static boolean hold() {
        try {
            PIN.invokeExact();
            return true;
        } catch (Throwable between) {
            // It is about to get a carrier or to leave it, and cannot leave it now.
            return false;
        }
    }

    @ForceInline
    static void release(boolean held) {
        if (held) release();
    }

    @DontInline
    private static void release() {
        try {
            UNPIN.invokeExact();
        } catch (Throwable impossible) {
            // It was pinned by us.
        }
    }

    /** Initialises the class, and what it uses. */
    static void prepare() {
        release(hold(Thread.currentThread()));
    }
}
