package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What one thread keeps to record what it does: where its next record goes, and the array accesses it has not written
 * yet. Used by its own thread alone. Knows nothing of woven code; {@link Probe} is what that calls.
 *
 * <p>A record is one to three words. A word that is not 0 has been written, so the first word of a record goes last.
 */
final class Recorder {
    static final Unsafe U = Unsafe.getUnsafe();

    /** Forms of records. */
    static final long PLAIN = 1, RANGE = 2, STAMPED = 3, STAMPED_MORE = 4;

    static final int HEADER = 64;
    static final int SMALL = 4096, LARGE = 16 * 4096;

    /** Fields that the agent adds to java.lang.Thread. */
    static final long TOKEN = U.objectFieldOffset(Thread.class, "$raddle$token");
    static final long STATE = U.objectFieldOffset(Thread.class, "$raddle$state");
    static final long NUMBER = U.objectFieldOffset(Thread.class, "$raddle$number");

    /** The counter of stamps, in memory that the reader sees too. */
    static final long STAMP = stampAddress();
    private static final int STAMP_BITS = 40;

    /** One epoch: the bits below count accesses. */
    static final long EPOCH = 16;

    /** Whether anything is recorded at all. */
    static volatile boolean on = true;

    private static int threads;
    private static final long THREADS;

    static {
        try {
            THREADS = U.staticFieldOffset(Recorder.class.getDeclaredField("threads"));
        } catch (NoSuchFieldException e) {
            throw new InternalError(e);
        }
    }

    final Thread thread;
    final int number;

    /** Where the next record goes, and where the chunk ends. */
    private long at, end, chunk;

    /** Probes do nothing while this thread is inside one, or after its end. */
    boolean inside;

    /** Whether woven code waits on a monitor now: that is told where it is called. */
    boolean waits;

    /**
     * Whether what is read now is read on trial: the program will ask whether it was disturbed. Until then the reads are
     * kept back; those that are never asked about are recorded after all.
     */
    private boolean trial;
    private long[] onTrial = new long[16];
    private int trials;

    /** The stamp of a lock that is being converted. */
    long converted;

    /** The class looked up last: most lookups are for the same one. */
    private Class<?> lastClass;
    private ClassInfo last;

    /** The numbers of objects that this thread gives out next. */
    private long nextObject, objectsEnd;

    /** Classes whose initialisation this thread has seen to be over; a bit each. */
    private long[] initialised = new long[16];

    private Recorder(Thread thread, int number) {
        this.thread = thread;
        this.number = number;
    }

    /** The number of a thread, which may not have started. */
    static int numberOf(Thread thread) {
        int number = U.getInt(thread, NUMBER);
        if (number == 0) {
            int fresh = U.getAndAddInt(Recorder.class, THREADS, 1) + 1;
            number = U.compareAndExchangeInt(thread, NUMBER, 0, fresh);
            if (number == 0) {
                number = fresh;
                name(number, nameOf(thread, number));
            }
        }
        return number;
    }

    /** The recorder of the current thread; null if it records nothing now. */
    @ForceInline
    static Recorder of(Thread thread) {
        Recorder me = (Recorder) U.getReference(thread, STATE);
        if (me == null) me = begin(thread);
        return me == null || me.inside ? null : me;
    }

    @DontInline
    private static Recorder begin(Thread thread) {
        Recorder waited = Waits.over(thread);
        if (waited != null) return waited;
        if (!on) return null;
        Recorder me = new Recorder(thread, numberOf(thread));
        me.inside = true;
        U.putReference(thread, STATE, me);
        long chunk = open(me.number, nameOf(thread, me.number));
        if (chunk == 0) return null;
        me.chunk = chunk;
        me.at = chunk + HEADER;
        me.end = chunk + SMALL;
        U.putLong(thread, TOKEN, ((long) me.number << STAMP_BITS) + EPOCH);
        me.inside = false;
        me.stamped(Kinds.START_SITE, 0, 0);
        return me;
    }

    private static String nameOf(Thread thread, int number) {
        String name = thread.getName();
        return name == null || name.isEmpty() ? "thread " + number : name;
    }

    /** The current thread has ended. */
    static void finish(Thread thread) {
        Recorder me = (Recorder) U.getReference(thread, STATE);
        if (me == null) me = Waits.over(thread);
        if (me == null || me.inside) return;
        me.stamped(Kinds.END_SITE, 0, 0);
        me.inside = true;
        if (me.chunk != 0) close(me.chunk);
        me.at = me.end = 0;
    }

    /** A record without a stamp. */
    @ForceInline
    void plain(int site, long operand) {
        long to = room(8);
        if (to != 0) {
            U.putLongRelease(null, to, PLAIN | (long) site << 4 | operand << 28);
            at = to + 8;
        }
    }

    /** An object that is accessed as one variable. */
    void whole(int site, long operand, int classNumber) {
        long to = room(16);
        if (to != 0) {
            U.putLong(to + 8, classNumber);
            U.putLongRelease(null, to, RANGE | (long) site << 4 | operand << 28);
            at = to + 16;
        }
    }

    /** Array elements. */
    void range(int site, long array, int from, int until) {
        long to = room(16);
        if (to != 0) {
            U.putLong(to + 8, (from & 0xffff_ffffL) | (long) until << 32);
            U.putLongRelease(null, to, RANGE | (long) site << 4 | array << 28);
            at = to + 16;
        }
    }

    /** Something that gives or takes order, now. Whatever comes after it belongs to a new epoch. */
    @ForceInline
    void stamped(int site, long operand, long classNumber) {
        if (trial) endTrial(false);
        if (open != 0) flush();
        long to = room(16);
        if (to != 0) {
            long stamp = U.getAndAddLong(null, STAMP, 1);
            U.putLong(to + 8, stamp | classNumber << STAMP_BITS);
            U.putLongRelease(null, to, STAMPED | (long) site << 4 | operand << 28);
            at = to + 16;
        }
        U.putLong(thread, TOKEN, U.getLong(thread, TOKEN) + EPOCH);
    }

    /** The same with a second operand. */
    void stamped(int site, long operand, long classNumber, long more) {
        if (trial) endTrial(false);
        if (open != 0) flush();
        long to = room(24);
        if (to != 0) {
            long stamp = U.getAndAddLong(null, STAMP, 1);
            U.putLong(to + 16, more);
            U.putLong(to + 8, stamp | classNumber << STAMP_BITS);
            U.putLongRelease(null, to, STAMPED_MORE | (long) site << 4 | operand << 28);
            at = to + 24;
        }
        U.putLong(thread, TOKEN, U.getLong(thread, TOKEN) + EPOCH);
    }

    /** A border within the thread that gives no order: a new epoch all the same. */
    void border(int site, long operand) {
        if (trial) endTrial(false);
        if (open != 0) flush();
        plain(site, operand);
        U.putLong(thread, TOKEN, U.getLong(thread, TOKEN) + EPOCH);
    }

    void beginTrial() {
        if (trial) endTrial(false);
        trial = true;
    }

    /** Reads are no longer on trial; if they were asked about, they do not count. */
    void endTrial(boolean asked) {
        trial = false;
        int count = trials;
        trials = 0;
        for (int i = 0; !asked && i < count; i++) {
            long to = room(8);
            if (to == 0) return;
            U.putLongRelease(null, to, onTrial[i]);
            at = to + 8;
        }
    }

    /** A read, perhaps on trial. */
    @ForceInline
    void reads(int site, long operand) {
        if (trial) keep(PLAIN | (long) site << 4 | operand << 28);
        else plain(site, operand);
    }

    private void keep(long record) {
        if (trials == onTrial.length) onTrial = java.util.Arrays.copyOf(onTrial, 2 * trials);
        onTrial[trials++] = record;
    }

    /** Where a record of so many bytes goes; 0 if nothing is recorded any more. */
    @ForceInline
    private long room(int bytes) {
        return end - at >= bytes ? at : turn();
    }

    /** Goes on in a new chunk, perhaps after waiting for one. */
    @DontInline
    private long turn() {
        if (chunk == 0) return 0;
        long next = next(chunk, number);
        if (next == 0) {
            on = false;
            inside = true;
            chunk = 0;
            at = end = 0;
            return 0;
        }
        chunk = next;
        end = next + LARGE;
        return at = next + HEADER;
    }

    // Objects.

    /** The number of an object. */
    @ForceInline
    long object(Object o) {
        ClassInfo info = info(o.getClass());
        long offset = info.offset;
        if (offset == 0) return Identities.number(o, this);
        long number = U.getLong(o, offset);
        return number != 0 ? number : give(o, offset);
    }

    @ForceInline
    ClassInfo info(Class<?> c) {
        if (c == lastClass) return last;
        ClassInfo info = ClassInfo.of(c);
        lastClass = c;
        last = info;
        return info;
    }

    @DontInline
    private long give(Object o, long offset) {
        long fresh = fresh();
        long old = U.compareAndExchangeLong(o, offset, 0, fresh);
        return old == 0 ? fresh : old;
    }

    /** A number that no object has. */
    @DontInline
    long fresh() {
        if (nextObject == objectsEnd) {
            nextObject = objects(1024);
            objectsEnd = nextObject + 1024;
        }
        return nextObject++;
    }

    /** A static field of a class is about to be used: its initialisation comes before. */
    @ForceInline
    void uses(int site) {
        int c = Sites.classOf(site);
        int word = c >>> 6;
        long[] seen = initialised;
        if (word < seen.length && (seen[word] >>> c & 1) != 0) return;
        seesInitialised(c);
    }

    @DontInline
    private void seesInitialised(int c) {
        haveInitialised(c);
        // Reads that are on trial stay so.
        boolean onTrial = trial;
        trial = false;
        stamped(Kinds.USES_SITE, c, c);
        trial = onTrial;
    }

    /** This thread need not be told that a class is initialised. */
    void haveInitialised(int c) {
        int word = c >>> 6;
        if (word >= initialised.length) {
            initialised = java.util.Arrays.copyOf(initialised, Math.max(word + 1, 2 * initialised.length));
        }
        initialised[word] |= 1L << c;
    }

    // Array elements. Consecutive elements at one site become one range; it is written when something else comes in its
    // place, or before the epoch ends.

    private static final int SLOTS = 32;

    private final Object[] arrays = new Object[SLOTS];
    /** For each slot its site (upper half) and the index that would come next (lower half). */
    private final long[] nexts = new long[SLOTS];
    private final int[] froms = new int[SLOTS];
    /** A bit for each slot in use. */
    private int open;

    @ForceInline
    void element(Object array, int index, int site) {
        int slot = site & SLOTS - 1;
        long next = (long) site << 32 | index;
        long[] nexts = this.nexts;
        if (nexts[slot] == next && arrays[slot] == array) {
            nexts[slot] = next + 1;
            return;
        }
        elementSlowly(array, index, site, slot);
    }

    @DontInline
    private void elementSlowly(Object array, int index, int site, int slot) {
        if (index < 0) return;
        if ((open >>> slot & 1) != 0) flush(slot);
        arrays[slot] = array;
        froms[slot] = index;
        nexts[slot] = ((long) site << 32 | index) + 1;
        open |= 1 << slot;
    }

    @DontInline
    private void flush() {
        while (open != 0) flush(Integer.numberOfTrailingZeros(open));
    }

    private void flush(int slot) {
        open &= ~(1 << slot);
        Object array = arrays[slot];
        arrays[slot] = null;
        long next = nexts[slot];
        nexts[slot] = 0;
        range((int) (next >>> 32), object(array), froms[slot], (int) next);
    }

    // The agent.

    static native long stampAddress();

    /** Tells what a number stands for, before anything refers to it. */
    private static native void name(int number, String name);

    /** The first chunk of a thread; 0 if nothing is recorded. */
    private static native long open(int number, String name);

    /** The chunk after this one. Waits if there is no room. */
    private static native long next(long chunk, int number);

    /** Nothing comes after this chunk. */
    private static native void close(long chunk);

    /** So many numbers for objects; the first. */
    private static native long objects(int count);
}
