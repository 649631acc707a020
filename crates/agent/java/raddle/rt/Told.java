package raddle.rt;

import jdk.internal.misc.Unsafe;

/**
 * Which array elements a thread has told at a place in the code, and how often: what the shadow words are for fields. An
 * element that was told twice at a place, with nobody else at the array in between and no synchronisation since, tells no
 * detector anything by a third time. Used by its own thread alone.
 *
 * <p>A thread that comes to an array takes a <em>turn</em> at it, whose number is in the array's entry: the turn is over when
 * another thread takes one, and when this thread synchronises. What was told belongs to a turn, so it is forgotten with it.
 *
 * <p>The table is a small one outside the heap, which the program may need to its last word. Where two things fall on one
 * place the newer one stays: the other is told again.
 */
final class Told {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Elements that share a row: a bit for each. */
    private static final int ELEMENTS = 6;

    /** A row: the turn, the site and which elements, those that were told, those that were told twice. */
    private static final int WHERE = 8, ONCE = 16, TWICE = 24, ROW = 32;

    /** Rows of the table, at first and at most; powers of two. */
    private static final int FEWEST = 64, MOST = 1024;

    /** Turns of a thread, which begin at its number: no other thread has the same. */
    private static final int TURN_BITS = 40;

    private long table;
    private int rows;

    /** Rows that were needed still when another thing took their place. */
    private int lost;

    /** The epoch, its first turn, and the next. */
    private long token, first, next;

    private final int thread;

    Told(int thread) {
        this.thread = thread;
        next = first = (long) thread << TURN_BITS | 1;
    }

    /** This thread accesses an array, at whatever elements. Which turn it is. */
    private long turn(Identities.Entry array, long token) {
        if (token != this.token) {
            this.token = token;
            first = next;
        }
        long turn = array.turn;
        // Those of other threads are less than all of this one's, or greater.
        if (turn < first || turn >= next) {
            array.turn = turn = next++;
            array.isAccessedBy(thread);
        }
        return turn;
    }

    /** This thread accesses elements of which no note is taken: what other threads have told they tell again. */
    void others(Identities.Entry array, long token) {
        turn(array, token);
    }

    /** Elements are accessed. Whether all were told twice at this site already; else they have to be told now. */
    boolean twice(Identities.Entry array, long token, int site, int from, int until) {
        long turn = turn(array, token);
        if (from < 0 || from >= until || from >>> ELEMENTS != until - 1 >>> ELEMENTS) return false;
        if (table == 0 && !make(FEWEST)) return false;
        long where = (long) site << 32 | from >>> ELEMENTS;
        long row = table + ((turn * K ^ where) * K >>> 40 & rows - 1) * ROW;
        long these = -1L >>> 64 - (until - from) << from;
        long old = U.getLong(row);
        if (old == turn && U.getLong(row + WHERE) == where) {
            long twice = U.getLong(row + TWICE);
            if ((these & ~twice) == 0) return true;
            long once = U.getLong(row + ONCE);
            U.putLong(row + TWICE, twice | once & these);
            U.putLong(row + ONCE, once | these);
            return false;
        }
        U.putLong(row, turn);
        U.putLong(row + WHERE, where);
        U.putLong(row + ONCE, these);
        U.putLong(row + TWICE, 0);
        if (old >= first && ++lost > 4 * rows && rows < MOST) make(4 * rows);
        return false;
    }

    private static final long K = 0x9e37_79b9_7f4a_7c15L;

    /** A table of so many rows in which nothing is told. */
    private boolean make(int count) {
        end();
        try {
            long fresh = U.allocateMemory((long) count * ROW);
            U.setMemory(fresh, (long) count * ROW, (byte) 0);
            table = fresh;
            rows = count;
            lost = 0;
            return true;
        } catch (OutOfMemoryError e) {
            // Everything is told.
            return false;
        }
    }

    /** The thread has ended. */
    void end() {
        if (table != 0) U.freeMemory(table);
        table = 0;
        rows = 0;
    }
}
