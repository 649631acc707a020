package raddle.rt;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Has the stack told when a thread records from a site for the first time, of a few threads for each site: an example of
 * how the thread comes there. Only from the program's own code, and not of virtual threads: while one is being mounted
 * the JVM must not be asked for its stack.
 */
final class Stacks {
    /** Stacks for each site at most. Threads that take turns may tell theirs twice. */
    private static final int MOST = 4;

    private static final int COUNT = 28;
    private static final int THREAD = (1 << COUNT) - 1;

    /**
     * For each site how many stacks were told, above the number of the thread that was last. Nobody minds if two threads
     * write it at once: then there is one stack more.
     */
    private static int[] told = new int[1 << 12];

    private Stacks() {}

    @ForceInline
    static void at(int site, Recorder me) {
        int[] told = Stacks.told;
        if (site < told.length) {
            int known = told[site];
            if (known >>> COUNT >= MOST || (known & THREAD) == me.number) return;
        }
        tell(site, me);
    }

    @DontInline
    private static void tell(int site, Recorder me) {
        me.inside = true;
        try {
            note(site, me.number);
            if (!isVirtual(me.thread)) stack(me.number, site);
        } catch (Throwable ignored) {
            // The program must not notice; a stack that is too deep will be noticed without our help.
        } finally {
            me.inside = false;
        }
    }

    private static void note(int site, int thread) {
        int[] told = Stacks.told;
        if (site >= told.length) Stacks.told = told = java.util.Arrays.copyOf(told, Math.max(site + 1, 2 * told.length));
        told[site] = Math.min((told[site] >>> COUNT) + 1, MOST) << COUNT | thread & THREAD;
    }

    /** Whether it is a virtual thread, or one that carries them. */
    private static boolean isVirtual(Thread thread) {
        String name = thread.getClass().getName();
        return name.endsWith("VirtualThread") || name.endsWith("CarrierThread");
    }

    /** A thread is about to start another one: that is how the other one comes to be. */
    static void starts(int other, int site, Recorder me) {
        if (!isVirtual(me.thread)) starts(other, site);
    }

    private static native void stack(int thread, int site);

    private static native void starts(int other, int site);
}
