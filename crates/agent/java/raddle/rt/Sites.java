package raddle.rt;

import jdk.internal.misc.Unsafe;

/** What the agent knows of each site, in memory that it fills while it weaves: eight bytes a site. */
final class Sites {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TABLE = table();

    /** What the site does. */
    static int kind(int site) {
        return U.getByte(TABLE + (long) site * 8) & 0xff;
    }

    /** The class of the static field that is used there. */
    static int classOf(int site) {
        return U.getInt(TABLE + (long) site * 8) >>> 8;
    }

    /** The number of the choice between effects of model lines that is made there; of a field see {@link Fields}. */
    static int choice(int site) {
        return U.getInt(TABLE + (long) site * 8 + 4);
    }

    private static native long table();

    /** A method runs that the plan holds for unused. */
    static native void unplanned(String method);
}
