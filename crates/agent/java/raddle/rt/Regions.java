package raddle.rt;

import jdk.internal.misc.Unsafe;

/**
 * Which regions a thread has recorded, by their hash. Knows nothing of what is in them. A table of bounded size: when it is
 * full, all is forgotten, and the numbers are given out again.
 */
final class Regions {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The most that are known: the reader keeps each of them. */
    private static final int MOST = 1 << 14;

    private static final int NUMBER_BITS = 24;
    private static final long NUMBER = (1 << NUMBER_BITS) - 1;

    /**
     * Each a region: the upper 39 bits of its hash, and its number, 0 if it was met only once. The lower bits of the hash say
     * where it is. Two regions are taken for one only if they agree in all these bits.
     */
    private long[] slots;
    private int taken, numbers;

    /** The hash of so many bytes, of which the first word is not where it should be. Two sums, so that none waits. */
    static long hash(long first, long from, int length) {
        long even = first * K, odd = 0;
        int i = 8;
        for (; i + 8 < length; i += 16) {
            odd = (Long.rotateLeft(odd, 25) ^ U.getLong(from + i)) * K;
            even = (Long.rotateLeft(even, 25) ^ U.getLong(from + i + 8)) * K;
        }
        if (i < length) odd = (Long.rotateLeft(odd, 25) ^ U.getLong(from + i)) * K;
        long both = (even ^ Long.rotateLeft(odd, 32) ^ length) * K;
        return (both ^ both >>> 32) * K;
    }

    private static final long K = 0x9e37_79b9_7f4a_7c15L;

    /** Meets a region: 0 for the first time; its number, from 1 on, negative for the second time. */
    int meet(long hash) {
        // A slot that is taken is not 0.
        long upper = hash & ~NUMBER | 1L << 63;
        long[] all = slots;
        if (all == null && (all = slots = words(64)) == null) return 0;
        int at = find(all, upper, hash);
        long slot = all[at];
        int number = (int) (slot & NUMBER);
        if (number != 0) return number;
        if (slot == 0) {
            all[at] = upper;
            if (++taken * 2 > all.length) grow();
            return 0;
        }
        all[at] = upper | ++numbers;
        return -numbers;
    }

    boolean isEmpty() {
        return taken == 0;
    }

    /** The slot of a region, or a free one. */
    private static int find(long[] all, long upper, long hash) {
        int mask = all.length - 1;
        int at = (int) hash & mask;
        while (all[at] != 0 && (all[at] & ~NUMBER) != upper) at = at + 1 & mask;
        return at;
    }

    private void grow() {
        // Where each goes in a larger table is not known any more: those that matter are soon met again.
        taken = numbers = 0;
        long[] larger = slots.length < 2 * MOST ? words(2 * slots.length) : null;
        if (larger != null) slots = larger;
        else java.util.Arrays.fill(slots, 0);
    }

    /** Room for so many words; null if the program has used all memory up, which is not for us to tell it. */
    static long[] words(int count) {
        try {
            return new long[count];
        } catch (OutOfMemoryError e) {
            return null;
        }
    }
}
