package raddle.rt;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Has the stack told when a thread records from a site for the first time, of a few threads for each site: an example of
 * how the thread comes there. Only from the program's own code. The agent asks the JVM for the stack of a platform
 * thread. That of a virtual one is looked at from within ({@link Calls}): to answer the agent the JVM would wait until the
 * thread is not being mounted, which it may be just here.
 */
final class Stacks {
    /** Threads whose stacks are told for each site. */
    private static final int MOST = 4;

    /**
     * For each site the numbers of the threads that have told, in the order in which they came; 0 for none yet. Nobody
     * minds if two threads write it at once: then there is one stack more.
     */
    private static int[] told = new int[MOST << 10];

    private Stacks() {}

    @ForceInline
    static void at(int site, Recorder me) {
        int[] told = Stacks.told;
        int at = site * MOST;
        // All have told, or this thread has: it is among those before the last.
        if (at < told.length
                && (told[at + MOST - 1] != 0
                        || told[at] == me.number
                        || told[at + 1] == me.number
                        || told[at + 2] == me.number)) return;
        tell(site, me);
    }

    @DontInline
    private static void tell(int site, Recorder me) {
        boolean inside = me.inside;
        me.inside = true;
        try {
            if (note(site, me.number)) tell(site, me.number, false, me);
        } catch (Throwable ignored) {
            // The program must not notice; a stack that is too deep will be noticed without our help.
        } finally {
            me.inside = inside;
        }
    }

    /** Whether this thread is to tell its stack; it will not be asked to again. */
    private static boolean note(int site, int thread) {
        int[] told = Stacks.told;
        int at = site * MOST, end = at + MOST;
        if (end > told.length) Stacks.told = told = java.util.Arrays.copyOf(told, Math.max(end, 2 * told.length));
        if (isPassing(Sites.kind(site))) {
            told[end - 1] = thread;
            return false;
        }
        for (; at < end; at++) {
            if (told[at] == thread) return false;
            if (told[at] == 0) {
                told[at] = thread;
                return true;
            }
        }
        return false;
    }

    /** Whether no finding asks how a thread came to such a site: it ends what began elsewhere, or only orders. */
    private static boolean isPassing(int kind) {
        switch (kind) {
            case Kinds.RELEASE:
            case Kinds.RELEASE_READ:
            case Kinds.EXIT:
            case Kinds.EXIT_BLOCK:
            case Kinds.SIGNAL:
            case Kinds.OBSERVE:
                return true;
            default:
                return false;
        }
    }

    /** A thread is about to start another one: that is how the other one comes to be. */
    static void starts(int other, int site, Recorder me) {
        try {
            tell(site, other, true, me);
        } catch (Throwable ignored) {
            // It is started all the same.
        }
    }

    private static void tell(int site, int thread, boolean starts, Recorder me) {
        String name = me.thread.getClass().getName();
        if (name.endsWith("VirtualThread")) {
            calls(thread, site, starts, Calls.ofThisThread());
        } else if (!name.endsWith("CarrierThread")) {
            // Whatever a carrier does is the JDK's affair.
            stack(me.thread, thread, site, starts);
        }
    }

    /** The stack of the current thread, which is handed over, shows how a thread comes to a site, or is started there. */
    private static native void stack(Thread current, int thread, int site, boolean starts);

    /** The same of calls that are written down as {@link Calls} does it. */
    private static native void calls(int thread, int site, boolean starts, String calls);
}
