package raddle.rt;

/**
 * What could not be recorded since the program's memory had run out. The program must not notice: it may be at a place
 * where it asks for no memory itself. It is told, once.
 */
final class Lost {
    private static boolean told;

    private Lost() {}

    /** Something was thrown while recording: if for want of memory, then what was to be recorded is lost. */
    static void to(Throwable thrown) {
        if (!(thrown instanceof OutOfMemoryError) || told) return;
        told = true;
        tell();
    }

    private static native void tell();
}
