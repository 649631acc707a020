package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Stable;

/**
 * Accesses to fields of objects. What one is, is found out when it is first run: of a field of another class it is only known
 * then which class declares it, whether that class was woven and whether the field is volatile; and where in an object its
 * shadow word is, is only known then of any.
 *
 * <p>It is kept in a table by site, whose entries never change once they are there: the compilers take them for constants. An
 * entry holds a mode (three bits), the first bit of the field in its shadow word (five), where in the object the word is
 * (twenty-four), and the site that names the field as it is known now. 0: nothing is known yet.
 */
final class Fields {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The parts of an entry. */
    static final int MODE = 7, SHIFT = 3, SHIFTS = 31, PLACE = 8, PLACES = (1 << 24) - 1, SITE = 32;

    /** Sites of a row; there are as many rows as are needed for all that there can be. */
    static final int ROW_BITS = 12, ROW = 1 << ROW_BITS;

    @Stable static final long[][] ROWS = new long[1 << 24 - ROW_BITS][];

    private Fields() {}

    /** A read that has to be told, or of which nothing is known. */
    @DontInline
    static void read(Object o, int site, long known) {
        if (known == 0) {
            // It is known now, unless there is no memory or nothing is recorded.
            if (look(o, site) != 0) Probe.readField(o, site);
            return;
        }
        site = site(known, site);
        switch ((int) known & MODE) {
            case Kinds.TELL_WORD:
            case Kinds.TELL_EACH:
                long place = known >>> PLACE & PLACES;
                int shift = (int) known >>> SHIFT & SHIFTS;
                U.putLong(o, place, Probe.read(o, U.getLong(o, place), site, shift));
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

    /** A write that has to be told, or of which nothing is known. */
    @DontInline
    static void write(Object o, int site, long known) {
        if (known == 0) {
            if (look(o, site) != 0) Probe.writeField(o, site);
            return;
        }
        site = site(known, site);
        switch ((int) known & MODE) {
            case Kinds.TELL_WORD:
                long place = known >>> PLACE & PLACES;
                int shift = (int) known >>> SHIFT & SHIFTS;
                U.putLong(o, place, Probe.write(o, U.getLong(o, place), site, shift));
                break;
            case Kinds.TELL_VOLATILE:
                Probe.volatileWrite(o, site);
                break;
            default:
                Probe.writeAny(o, site);
        }
    }

    private static int site(long known, int otherwise) {
        int site = (int) (known >>> SITE);
        return site == 0 ? otherwise : site;
    }

    /**
     * Finds out what an access is; 0 if nothing is recorded now. Where it cannot be found out the access is told each time, as
     * that of a plain field.
     */
    @DontInline
    private static long look(Object o, int site) {
        Thread thread = Thread.currentThread();
        Recorder me = Recorder.of(thread);
        if (me == null) return 0;
        me.inside = true;
        boolean held = Pin.hold(thread);
        try {
            long[] row = ROWS[site >>> ROW_BITS];
            if (row == null) row = add(site >>> ROW_BITS);
            Class<?> of = o.getClass(), declaring;
            // Of a field of the class itself it is known but for the place.
            long known = Sites.choice(site) & 0xffff_ffffL;
            if (known != 0) {
                declaring = numbered(of, Sites.classOf(site));
            } else {
                declaring = declaring(site, of);
                if (declaring != null) known = look(site, of, declaring);
            }
            if (declaring == null) return row[site & ROW - 1] = Kinds.TELL_ANY;
            if (known == 0) return row[site & ROW - 1] = Kinds.TELL_ANY;
            int mode = (int) known & MODE;
            if (mode == Kinds.TELL_WORD || mode == Kinds.TELL_FROZEN || mode == Kinds.TELL_EACH) {
                String name = mode == Kinds.TELL_FROZEN ? "$raddle$frozen" : word((int) (known >>> PLACE));
                known = placed(known, declaring, name);
            }
            return row[site & ROW - 1] = known;
        } catch (Throwable thrown) {
            // There will be another time, and perhaps more memory.
            Lost.to(thrown);
            return 0;
        } finally {
            Pin.release(held);
            me.inside = false;
        }
    }

    /** A class, or the one above it that has this number; null if there is none. */
    private static Class<?> numbered(Class<?> of, int number) {
        Class<?> c = of;
        while (c != null && ClassInfo.of(c).number != number) c = c.getSuperclass();
        return c;
    }

    /** With the place of the field of this name; told each time if it is not there after all. */
    private static long placed(long known, Class<?> declaring, String name) {
        long without = known & ~((long) PLACES << PLACE);
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
