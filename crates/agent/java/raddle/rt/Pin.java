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
    /** The class of virtual threads, once one was met: it is not to be loaded before the program needs it. */
    private static Class<?> virtual;

    /** Looked up when the first virtual thread is met. */
    private static final class Handles {
        static final MethodHandle PIN = find("pin"), UNPIN = find("unpin");

        private static MethodHandle find(String name) {
            try {
                Class<?> continuation = Class.forName("jdk.internal.vm.Continuation", false, null);
                return Link.TRUSTED.findStatic(continuation, name, MethodType.methodType(void.class));
            } catch (ReflectiveOperationException notThere) {
                throw new IllegalStateException(notThere);
            }
        }
    }

    private Pin() {}

    /** Whether a thread is one that may leave its carrier. */
    @ForceInline
    static boolean isVirtual(Thread thread) {
        Class<?> c = thread.getClass();
        return c == virtual || virtual == null && c != Thread.class && isFirst(c);
    }

    @DontInline
    private static boolean isFirst(Class<?> c) {
        if (!c.getName().equals("java.lang.VirtualThread")) return false;
        virtual = c;
        return true;
    }

    /** Keeps the current thread where it is; whether {@link #release} has to be called. Only while its probes do nothing. */
    @ForceInline
    static boolean hold(Thread current) {
        return isVirtual(current) && hold();
    }

    /** The same at any time. */
    @ForceInline
    static boolean hold(Recorder me) {
        return isVirtual(me.thread) && holdInside(me);
    }

    @DontInline
    private static boolean holdInside(Recorder me) {
        // The first time code of the JDK runs that has probes too.
        boolean inside = me.inside;
        me.inside = true;
        boolean held = hold();
        me.inside = inside;
        return held;
    }

    @DontInline
    private static boolean hold() {
        try {
            Handles.PIN.invokeExact();
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
            Handles.UNPIN.invokeExact();
        } catch (Throwable impossible) {
            // It was pinned by us.
        }
    }

    /** Initialises the class, and what it uses. */
    static void prepare() {
        release(hold(Thread.currentThread()));
    }
}
