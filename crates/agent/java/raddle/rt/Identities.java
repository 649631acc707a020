package raddle.rt;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * Numbers for objects that have no place for one: arrays, objects of the JDK's own classes, lambdas. A weak table in
 * stripes; also says which object another one is part of. Its own locks are not watched.
 */
final class Identities {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final long HELD = U.objectFieldOffset(Entry.class, "held");
    static final long OWNER = U.objectFieldOffset(Entry.class, "owner");

    private static final int STRIPES = 64;
    private static final Identities[] ALL = new Identities[STRIPES];

    static {
        for (int i = 0; i < STRIPES; i++) ALL[i] = new Identities();
    }

    /** What is known of an object. */
    static final class Entry extends WeakReference<Object> {
        final int hash;
        final long number;
        /** Its shadow word, if it is accessed as one variable: see {@link Recorder#knows}. */
        long word;
        /** Whose turn it was last to access the elements of an array: see {@link Told}. */
        long turn;
        /** The number of the thread that alone has accessed the elements of an array; 0: nobody, -1: several. */
        volatile int owner;
        /** How many slots it is in: something of it may have to be written. */
        volatile int held;
        /** What this is a part of. */
        WeakReference<Object> whole;
        Entry next;

        Entry(Object o, int hash, long number, Entry next, ReferenceQueue<Object> queue) {
            super(o, queue);
            this.hash = hash;
            this.number = number;
            this.next = next;
        }

        /** A thread comes to the array's elements, perhaps again. */
        void isAccessedBy(int thread) {
            int before = owner;
            if (before == thread || before == -1) return;
            if (before != 0 || !U.compareAndSetInt(this, OWNER, 0, thread)) owner = -1;
        }

        void hold(int more) {
            U.getAndAddInt(this, HELD, more);
        }
    }

    private Entry[] table = new Entry[64];
    private int size;
    /** Of arrays that have died something has to be written yet: at most a few for each thread. */
    private Entry later;
    private final ReferenceQueue<Object> dead = new ReferenceQueue<>();

    static Entry of(Object o, Recorder me) {
        return of(o, System.identityHashCode(o), me);
    }

    @DontInline
    static Entry of(Object o, int hash, Recorder me) {
        Entry found;
        boolean held = Pin.hold(me);
        try {
            found = ALL[hash & STRIPES - 1].entry(o, hash, me);
        } finally {
            Pin.release(held);
        }
        // Not under the stripe's lock: what is recorded may need a number from another stripe.
        me.bury();
        return found;
    }

    /** From now on {@code part} stands for {@code whole}. */
    static void part(Object part, Object whole, Recorder me) {
        of(part, me).whole = new WeakReference<>(whole);
    }

    /** What an object is a part of, or itself. */
    static Object whole(Object o, Recorder me) {
        WeakReference<Object> whole = of(o, me).whole;
        Object found = whole == null ? null : whole.get();
        return found == null ? o : found;
    }

    private synchronized Entry entry(Object o, int hash, Recorder me) {
        int slot = hash >>> 6 & table.length - 1;
        for (Entry e = table[slot]; e != null; e = e.next) {
            if (e.hash == hash && e.refersTo(o)) return e;
        }
        return add(o, hash, slot, me);
    }

    @DontInline
    private Entry add(Object o, int hash, int slot, Recorder me) {
        clean(me);
        if (size > table.length) {
            grow();
            slot = hash >>> 6 & table.length - 1;
        }
        Entry fresh = new Entry(o, hash, me.freshIdentity(), table[slot], dead);
        table[slot] = fresh;
        size++;
        return fresh;
    }

    /** Forgets objects that have died. */
    private void clean(Recorder me) {
        Entry gone = (Entry) dead.poll();
        if (gone == null) return;
        // Those that had to wait are looked at when others have died, and not each time: there may be many.
        Entry waited = later;
        later = null;
        for (Entry next; waited != null; waited = next) {
            next = waited.next;
            buries(waited, me);
        }
        for (; gone != null; gone = (Entry) dead.poll()) {
            int slot = gone.hash >>> 6 & table.length - 1;
            Entry before = null;
            for (Entry e = table[slot]; e != null; before = e, e = e.next) {
                if (e != gone) continue;
                if (before == null) table[slot] = e.next; else before.next = e.next;
                size--;
                break;
            }
            buries(gone, me);
        }
    }

    /** An object has died; it is told now, or if something of it has to be written yet, later. */
    private void buries(Entry e, Recorder me) {
        if (e.held != 0) {
            e.next = later;
            later = e;
            return;
        }
        // What the reader has not read of it yet tells nothing.
        if (Recorder.FILTER && e.owner > 0) gone(e.number);
        me.died(e.number);
    }

    private void grow() {
        Entry[] old = table;
        table = new Entry[2 * old.length];
        for (Entry first : old) {
            for (Entry e = first, next; e != null; e = next) {
                next = e.next;
                int slot = e.hash >>> 6 & table.length - 1;
                e.next = table[slot];
                table[slot] = e;
            }
        }
    }

    /** An array is gone that one thread alone has accessed. */
    private static native void gone(long number);
}
