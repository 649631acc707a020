package raddle.rt;

import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.misc.Unsafe;

/**
 * Waits on monitors in code that is not woven: the JDK's own, called with a lock held that the program took, or by
 * reflection. The JVM tells when such a wait begins. When it is over the thread has its monitor again without anybody
 * being told; so meanwhile its recorder is put aside, and whoever asks for it first records the end of the wait.
 */
final class Waits {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** By the numbers of threads, since a thread may have a hash code of its own. */
    private static final ConcurrentHashMap<Integer, Waits> ALL = new ConcurrentHashMap<>();

    private final Recorder recorder;
    private final Object on;

    private Waits(Recorder recorder, Object on) {
        this.recorder = recorder;
        this.on = on;
    }

    /** The current thread is about to wait; called by the agent. */
    static void begins(Thread thread, Object on) {
        Recorder me = (Recorder) U.getReference(thread, Recorder.STATE);
        // A woven wait has told of itself.
        if (me == null || me.inside || me.waits) return;
        me.inside = true;
        boolean held = Pin.hold(thread);
        try {
            ALL.put(me.number, new Waits(me, on));
            tell(me, on, Kinds.WAIT_SITE);
            U.putReference(thread, Recorder.STATE, null);
        } finally {
            Pin.release(held);
            me.inside = false;
        }
    }

    /** The recorder of a thread that has waited; null if it has not. */
    static Recorder over(Thread thread) {
        if (ALL.isEmpty()) return null;
        Waits waited = ALL.remove(U.getInt(thread, Recorder.NUMBER));
        if (waited == null) return null;
        Recorder me = waited.recorder;
        U.putReference(thread, Recorder.STATE, me);
        tell(me, waited.on, Kinds.WOKEN_SITE);
        return me;
    }

    private static void tell(Recorder me, Object on, int site) {
        me.stamped(site, me.object(on), ClassInfo.of(on.getClass()).number);
    }

    /** Initialises the class, and what it uses. */
    static void prepare() {
        ALL.remove(0);
    }
}
