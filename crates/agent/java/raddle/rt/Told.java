package raddle.rt;

/**
 * Which of an array's first elements were told, and how often: what the shadow words are for fields. Belongs to the thread
 * that accessed the array last, for as long as that does not synchronise; nobody else changes it, but puts one of its own
 * in its place. An element whose reads, or writes, that thread has told twice with nobody else in between tells no
 * detector anything by a third. Elements beyond the first {@link #MOST} are told as they come.
 */
final class Told {
    /** So many elements have a bit. */
    private static final int MOST = 64;

    /** Whose it is, and when. */
    private long token;
    /** Elements that were told once, or twice. */
    private long reads, readTwice, writes, writtenTwice;

    private Told(long token) {
        this.token = token;
    }

    /** Elements of an array are accessed. Whether all were told twice already; else they have to be told now. */
    static boolean twice(Identities.Entry entry, long token, int site, int from, int until) {
        int kind = Sites.kind(site);
        boolean write = kind == Kinds.ARRAY_WRITE || kind == Kinds.RANGE_WRITE;
        boolean known = write || kind == Kinds.ARRAY_READ || kind == Kinds.RANGE_READ;
        if (!known || from < 0 || from >= until || until > MOST) {
            others(entry, token);
            return false;
        }
        Told told = entry.told;
        if (told == null || told.token != token) {
            told = begun(told, token);
            entry.told = told;
            if (told == null) return false;
        }
        long these = -1L >>> MOST - (until - from) << from;
        if (write) {
            if ((these & ~told.writtenTwice) == 0) return true;
            told.writtenTwice |= told.writes & these;
            told.writes |= these;
        } else {
            if ((these & ~told.readTwice) == 0) return true;
            told.readTwice |= told.reads & these;
            told.reads |= these;
        }
        return false;
    }

    /** Elements are accessed of which no note is taken: whatever another thread has told, it tells again. */
    static void others(Identities.Entry entry, long token) {
        Told told = entry.told;
        if (told != null && told.token != token) entry.told = null;
    }

    /** One in which nothing is told yet: the old one, if it was this thread's. None if there is no memory. */
    private static Told begun(Told old, long token) {
        // Tokens of one thread are given to it so many at a time.
        if (old == null || ((old.token ^ token) & -Recorder.TOKENS) != 0) {
            try {
                return new Told(token);
            } catch (OutOfMemoryError e) {
                return null;
            }
        }
        old.token = token;
        old.reads = old.readTwice = old.writes = old.writtenTwice = 0;
        return old;
    }
}
