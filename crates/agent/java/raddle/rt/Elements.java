package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The part of a {@link Recorder} that has the array accesses it has not written yet. Those that follow one another at one
 * site, or are as far from each other, become one range; it is written when something else comes in its place, or before the
 * epoch ends. One that comes over and over is told twice, as fields are (see {@link Told}).
 *
 * <p>No array is kept alive by it: a thread may not synchronise for a long time, and the program needs its memory. But no
 * array is recorded to be dead as long as something of it has to be written.
 */
abstract class Elements extends Numbers {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int SLOTS = 32;

    final Thread thread;
    private final Told told;

    /** For each slot its array, if there has been one. */
    private final Identities.Entry[] arrays = new Identities.Entry[SLOTS];
    /** For each slot its site (upper half) and the index that would come next (lower half); 0 if nothing is in it. */
    private final long[] nexts = new long[SLOTS];
    private final int[] froms = new int[SLOTS];
    /** How far each is from the next. */
    private final int[] steps = new int[SLOTS];
    /** For each slot what is told twice: its site and index, as above, or 0. */
    private final long[] twice = new long[SLOTS];
    /** A bit for each slot in use. */
    int open;

    Elements(Thread thread, int number) {
        this.thread = thread;
        told = new Told(number);
    }

    /** A record of elements that follow one another. */
    abstract void writeRange(int site, long array, int from, int until);

    /** A record of elements that do not. */
    abstract void writeSteps(int site, long array, int first, int step, int count);

    @ForceInline
    final void element(Object array, int index, int site) {
        int slot = site & SLOTS - 1;
        long next = (long) site << 32 | index;
        long[] nexts = this.nexts;
        Identities.Entry entry = arrays[slot];
        if (entry != null && entry.refersTo(array)) {
            if (nexts[slot] == next) {
                nexts[slot] = next + steps[slot];
                return;
            }
            if (Recorder.FILTER && twice[slot] == next) return;
        }
        elementSlowly(array, index, site, slot);
    }

    @DontInline
    private void elementSlowly(Object array, int index, int site, int slot) {
        if (index < 0) return;
        Stacks.at(site, (Recorder) this);
        Identities.Entry entry = arrays[slot];
        boolean same = entry != null && entry.refersTo(array);
        if ((open >>> slot & 1) != 0) {
            if (same && goesOn(index, site, slot)) return;
            flush(slot);
        }
        if (!same) {
            long number = identity(array);
            entry = justLookedUp(array);
            take(slot, entry);
            if (entry == null) {
                writeRange(site, number, index, index + 1);
                return;
            }
        }
        froms[slot] = index;
        steps[slot] = 1;
        nexts[slot] = ((long) site << 32 | index) + 1;
        open |= 1 << slot;
    }

    /** After one element comes the same again, or the next of several that do not follow one another. */
    private boolean goesOn(int index, int site, int slot) {
        int from = froms[slot];
        if (nexts[slot] != ((long) site << 32 | from) + 1 || twice[slot] != 0) return false;
        if (index == from) {
            twice[slot] = (long) site << 32 | index;
            return true;
        }
        int apart = index - from;
        if (apart < 2 || apart > MOST_APART) return false;
        steps[slot] = apart;
        nexts[slot] = ((long) site << 32 | index) + apart;
        return true;
    }

    /** Elements that are further from each other than this do not become one range, and neither do a few. */
    private static final int MOST_APART = 32, FEW_STEPS = 4;

    /** A slot, in which nothing is left to write, is for another array. */
    @DontInline
    private void take(int slot, Identities.Entry entry) {
        Identities.Entry old = arrays[slot];
        if (entry != null) entry.hold(1);
        arrays[slot] = entry;
        if (old != null) old.hold(-1);
    }

    @DontInline
    final void flush() {
        while (open != 0) flush(Integer.numberOfTrailingZeros(open));
    }

    @DontInline
    private void flush(int slot) {
        open &= ~(1 << slot);
        long next = nexts[slot];
        nexts[slot] = 0;
        Identities.Entry entry = arrays[slot];
        int site = (int) (next >>> 32);
        int from = froms[slot], step = steps[slot];
        int count = Integer.divideUnsigned((int) next - from, step);
        if (step == 1) {
            range(site, entry, from, (int) next);
        } else if (count < FEW_STEPS) {
            // Each such pair would be a variable of its own.
            for (int i = 0; i < count; i++) range(site, entry, from + i * step, from + i * step + 1);
        } else {
            told.others(entry, token());
            writeSteps(site, entry.number, from, step, count);
        }
        int again = (int) twice[slot];
        if (twice[slot] == 0) return;
        twice[slot] = 0;
        range(site, entry, again, again + 1);
    }

    @DontInline
    private void range(int site, Identities.Entry array, int from, int until) {
        if (Recorder.FILTER && told.twice(array, token(), site, from, until)) return;
        writeRange(site, array.number, from, until);
    }

    /** Elements of an array, or of an object that holds one. */
    final void elements(int site, Object array, int from, int until) {
        long number = object(array);
        Identities.Entry entry = justLookedUp(array);
        if (entry != null) range(site, entry, from, until);
        else writeRange(site, number, from, until);
    }

    /** Elements of an array that do not follow one another. */
    final void stepwise(int site, Object array, int first, int step, int count) {
        long number = object(array);
        accesses(array);
        writeSteps(site, number, first, step, count);
    }

    /** An element of an array, which was looked up just now, is accessed and told in another way. */
    final void accesses(Object array) {
        Identities.Entry entry = justLookedUp(array);
        if (entry != null) told.others(entry, token());
    }

    private long token() {
        return U.getLong(thread, Recorder.TOKEN);
    }

    /** The thread has ended; there is nothing left to write. */
    final void letGo() {
        for (int slot = 0; slot < SLOTS; slot++) take(slot, null);
        told.end();
    }
}
