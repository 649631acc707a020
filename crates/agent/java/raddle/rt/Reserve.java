package raddle.rt;

/**
 * Memory that is kept for when the program has used all of its own up. Linking an access needs some, at a place where
 * the program asks for none: an error there would be ours. What the JVM itself needs before it asks us how to link is
 * a few hundred bytes, for which nothing can be kept.
 */
final class Reserve {
    private static final int PIECES = 16;

    /** Bytes of a piece: a few links, and no more than a hundredth of the heap in all. */
    private static final int SIZE =
            (int) Math.max(8 << 10, Math.min(Runtime.getRuntime().maxMemory() / 1600, 256 << 10));

    private static final byte[][] KEPT = new byte[PIECES][];
    private static int kept;

    private Reserve() {}

    /** Gives up a piece for somebody who needs it. False if there is none. */
    static boolean give() {
        int last = kept - 1;
        if (last < 0) return false;
        // Two threads may give up the same piece.
        kept = last;
        KEPT[last] = null;
        return true;
    }

    /** Takes back what was given up, if there is plenty again. */
    static void fill() {
        if (kept == PIECES) return;
        try {
            Runtime runtime = Runtime.getRuntime();
            long most = runtime.maxMemory();
            for (int at = kept; at < PIECES; at++) {
                if (most - runtime.totalMemory() + runtime.freeMemory() < most / 4) return;
                KEPT[at] = new byte[SIZE];
                kept = at + 1;
            }
        } catch (Throwable e) {
            // Another time.
        }
    }
}
