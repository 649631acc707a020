package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Stable;

/**
 * Accesses to fields of objects of other classes. What one is, is found out when it is first run: only then is it known
 * which class declares the field, whether that class was woven and whether the field is volatile.
 *
 * <p>It is kept in a table by site, whose entries never change once they are there: the compilers take them for constants. An
 * entry holds a mode (three bits), the first bit of the field in its shadow word (five), where in the object the word is
 * (twenty-four), and the site that names the field as it is known now. 0: nothing is known yet.
 */
final class Others {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int MODE = 7, SHIFT = 3, SHIFTS = 31, PLACE = 8, PLACES = (1 << 24) - 1, SITE = 32;

    /** Sites of a row; there are as many rows as are needed for all that there can be. */
    private static final int ROW_BITS = 12, ROW = 1 << ROW_BITS;

    @Stable private static final long[][] ROWS = new long[1 << 24 - ROW_BITS][];

    private Others() {}

    @ForceInline
    static long at(int site) {
        long[] row = ROWS[site >>> ROW_BITS];
        return row == null ? 0 : row[site & ROW - 1];
    }

    @ForceInline
    static boolean isNothing(long other) {
        return other == Kinds.TELL_NOTHING;
    }

    /** Whether reads of a field, of an object that is not null, need not be told any more. */
    @ForceInline
    static boolean knowsRead(Object o, long other) {
        int mode = (int) other & MODE;
        if (mode == Kinds.TELL_WORD) return Probe.knowsRead(U.getLong(o, place(other)), shift(other));
        return mode == Kinds.TELL_FROZEN && U.getBoolean(o, place(other));
    }

    /** The same for writes. */
    @ForceInline
    static boolean knowsWrite(Object o, long other) {
        int mode = (int) other & MODE;
        if (mode == Kinds.TELL_WORD) return Probe.knowsWrite(U.getLong(o, place(other)), shift(other));
        return mode == Kinds.TELL_FROZEN && U.getBoolean(o, place(other));
    }

    @ForceInline
    private static int shift(long other) {
        return (int) other >>> SHIFT & SHIFTS;
    }

    @ForceInline
    private static long place(long other) {
        return other >>> PLACE & PLACES;
    }

    /** A read that may have to be told. */
    @DontInline
    static void read(Object o, int site, long other) {
        if (o == null) return;
        if (other == 0) other = look(o, site);
        if (isNothing(other) || knowsRead(o, other)) return;
        site = site(other, site);
        switch ((int) other & MODE) {
            case Kinds.TELL_WORD:
                long place = place(other);
                U.putLong(o, place, Probe.read(o, U.getLong(o, place), site, shift(other)));
                break;
            case Kinds.TELL_VOLATILE:
                Probe.volatileRead(o, site);
                break;
            case Kinds.TELL_ALWAYS:
                Probe.readAlways(o, site);
                break;
            default:
                Probe.readAny(o, site);
        }
    }

    /** A write that may have to be told. */
    @DontInline
    static void write(Object o, int site, long other) {
        if (o == null) return;
        if (other == 0) other = look(o, site);
        if (isNothing(other) || knowsWrite(o, other)) return;
        site = site(other, site);
        switch ((int) other & MODE) {
            case Kinds.TELL_WORD:
                long place = place(other);
                U.putLong(o, place, Probe.write(o, U.getLong(o, place), site, shift(other)));
                break;
            case Kinds.TELL_VOLATILE:
                Probe.volatileWrite(o, site);
                break;
            default:
                Probe.writeAny(o, site);
        }
    }

    private static int site(long other, int otherwise) {
        int site = (int) (other >>> SITE);
        return site == 0 ? otherwise : site;
    }

    /** Finds out what an access is. Where that is not to be found out it is told each time, as that of a plain field. */
    private static long look(Object o, int site) {
        Thread thread = Thread.currentThread();
        Recorder me = Recorder.of(thread);
        // Nothing is recorded now.
        if (me == null) return Kinds.TELL_NOTHING;
        me.inside = true;
        try {
            long[] row = ROWS[site >>> ROW_BITS];
            if (row == null) row = add(site >>> ROW_BITS);
            Class<?> of = o.getClass(), declaring = declaring(site, of);
            if (declaring == null) return row[site & ROW - 1] = Kinds.TELL_ANY;
            long other = look(site, of, declaring);
            if (other == 0) return row[site & ROW - 1] = Kinds.TELL_ANY;
            int mode = (int) other & MODE;
            if (mode == Kinds.TELL_WORD || mode == Kinds.TELL_FROZEN) {
                String name = mode == Kinds.TELL_FROZEN ? "$raddle$frozen" : word((int) place(other));
                other = placed(other, declaring, name);
            }
            return row[site & ROW - 1] = other;
        } catch (Throwable thrown) {
            // There will be another time, and perhaps more memory.
            Lost.to(thrown);
            return Kinds.TELL_NOTHING;
        } finally {
            me.inside = false;
        }
    }

    /** With the place of the field of this name; told each time if it is not there after all. */
    private static long placed(long other, Class<?> declaring, String name) {
        long without = other & ~((long) PLACES << PLACE);
        try {
            long offset = U.objectFieldOffset(declaring, name);
            if (offset <= PLACES) return without | offset << PLACE;
        } catch (InternalError notThere) {
            // Another agent has changed the class after us.
        }
        return without & ~MODE | Kinds.TELL_ANY;
    }

    private static String word(int number) {
        return "$raddle$w".concat(Integer.toString(number));
    }

    private static synchronized long[] add(int number) {
        if (ROWS[number] == null) ROWS[number] = new long[ROW];
        return ROWS[number];
    }

    /** The class that declares the field which a site accesses in objects of a class; null if that cannot be found out. */
    private static native Class<?> declaring(int site, Class<?> of);

    /** What the access is, with the number of the shadow word in the place of where that is. */
    private static native long look(int site, Class<?> of, Class<?> declaring);

    /** Initialises the class, and what it uses. */
    static void prepare() {
        if (ROWS.length == 0) throw new IllegalStateException("no room");
    }
}
