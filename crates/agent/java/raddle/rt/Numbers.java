package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The part of a {@link Recorder} that knows objects by number, and classes: numbers are given out in blocks, each to one
 * thread. Records nothing itself.
 */
abstract class Numbers {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The class looked up last: most lookups are for the same one. */
    private Class<?> lastClass;
    private ClassInfo last;

    /** The object looked up last that has no place for its number. */
    private Identities.Entry lastIdentity;

    /** Others that were looked up lately, by their hash; none at first, since most threads have few. */
    private Identities.Entry[] near;
    private static final int NEAR = 64;

    /** The numbers that this thread gives out next: to objects that keep them, and to others. */
    private long nextObject, objectsEnd, nextIdentity, identitiesEnd;

    /** The number of an object. */
    @ForceInline
    final long object(Object o) {
        ClassInfo info = info(o.getClass());
        long offset = info.offset;
        if (offset == 0) return identity(o);
        long number = U.getLong(o, offset);
        return number != 0 ? number : give(o, offset);
    }

    /** The number of an object that has no place for it. */
    @DontInline
    final long identity(Object o) {
        Identities.Entry known = entry(o);
        // As if it were another object.
        return known == null ? freshIdentity() : known.number;
    }

    /**
     * What is known of an object that has no place for its number; null if there is no memory for that. Most look-ups are for
     * the same one, and most others for one of a few: those need no lock.
     */
    final Identities.Entry entry(Object o) {
        Identities.Entry known = lastIdentity;
        // Not by refersTo, which is a call in code of the first compiler.
        return known != null && known.get() == o ? known : lookUp(o);
    }

    @DontInline
    private Identities.Entry lookUp(Object o) {
        Identities.Entry known;
        int hash = System.identityHashCode(o);
        Identities.Entry[] near = this.near;
        int slot = hash & NEAR - 1;
        if (near != null) {
            known = near[slot];
            if (known != null && known.get() == o) return lastIdentity = known;
        }
        known = null;
        try {
            lastIdentity = known = Identities.of(o, hash, (Recorder) this);
            if (near == null) this.near = near = new Identities.Entry[NEAR];
            near[slot] = known;
        } catch (OutOfMemoryError e) {
            // Where only the short list is missing, nothing is lost.
            if (known == null) Lost.to(e);
        }
        return known;
    }

    /** What is known of an object that was looked up just now; null if it has a place for its number, or there is no memory. */
    final Identities.Entry justLookedUp(Object o) {
        Identities.Entry known = lastIdentity;
        return known != null && known.get() == o ? known : null;
    }

    @ForceInline
    final ClassInfo info(Class<?> c) {
        return c == lastClass ? last : lookUp(c);
    }

    @DontInline
    private ClassInfo lookUp(Class<?> c) {
        boolean held = Pin.hold((Recorder) this);
        try {
            ClassInfo info = ClassInfo.of(c);
            lastClass = c;
            last = info;
            return info;
        } catch (OutOfMemoryError e) {
            Lost.to(e);
            return ClassInfo.UNKNOWN;
        } finally {
            Pin.release(held);
        }
    }

    @DontInline
    private long give(Object o, long offset) {
        long fresh = fresh();
        long old = U.compareAndExchangeLong(o, offset, 0, fresh);
        return old == 0 ? fresh : old;
    }

    /** The number that an object was given last in place of another. */
    private long renumbered;

    /**
     * Gives an object another number, if it keeps one and was not given it here: as if it were another object. Others lose
     * theirs when nothing but a finalizer reaches them.
     */
    final void renumber(Object o) {
        long offset = info(o.getClass()).offset;
        if (offset == 0) return;
        long number = U.getLong(o, offset);
        if (number == 0 || number == renumbered) return;
        renumbered = fresh();
        U.putLong(o, offset, renumbered);
    }

    /** A number that no object has, for one that keeps it. */
    @DontInline
    private long fresh() {
        if (nextObject == objectsEnd) {
            long last = objectsEnd - BLOCK;
            nextObject = numbers();
            objectsEnd = nextObject + BLOCK;
            if (last > 0) bury(usedUp(last, BLOCK, true));
        }
        return nextObject++;
    }

    /** A number for an object that has no place for it. */
    final long freshIdentity() {
        if (nextIdentity == identitiesEnd) {
            nextIdentity = numbers();
            identitiesEnd = nextIdentity + BLOCK;
        }
        return nextIdentity++;
    }

    private static final int BLOCK = 1024;

    /** The thread has ended, and gives out no more numbers. */
    final void giveUpNumbers() {
        if (objectsEnd == 0) return;
        long first = objectsEnd - BLOCK;
        usedUp(first, (int) (nextObject - first), false);
        nextObject = objectsEnd = 0;
    }

    /** Records that objects have died: those that are known to have, and these. */
    abstract void bury(long[] more);

    /** A block of numbers for objects; the first. */
    private static native long numbers();

    /**
     * So many of this block have been given to objects that keep them, and no more will be. The numbers of objects that
     * have died, if it is time to look and that is wanted.
     */
    private static native long[] usedUp(long first, int used, boolean look);
}
