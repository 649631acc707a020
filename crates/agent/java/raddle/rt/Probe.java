package raddle.rt;

import java.lang.invoke.CallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What woven code calls. Every method returns quickly, throws nothing and leaves no trace in the program but in the
 * shadow words that the weaver has added.
 *
 * <p>A shadow word says who reported some fields last: a token, which is a thread's for as long as it does not
 * synchronise, and below it for each of six fields how often a read (two bits) and a write (two bits) was reported under
 * that token, counted to two. A third access of the same kind with nobody else in between tells no detector anything.
 *
 * <p>What is asked at every access is inlined by the second compiler, if it runs often; the first one, which inlines what is
 * short, is to make a call of it, so {@link #readField} and {@link #writeField} are each in one piece. The rest must not be
 * inlined, or it would be copied to every access.
 */
public final class Probe {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long READ = 1, WRITE = 4, READS = 3, WRITES = 12;

    /** The bits of a shadow word below the token. */
    private static final long COUNTS = Recorder.EPOCH - 1;

    private Probe() {}

    /** Whether the current thread has reported reads of a field often enough, with its bits at {@code shift}. */
    @ForceInline
    public static boolean knowsRead(long word, int shift) {
        return (word & (~COUNTS | READS << shift)) == (U.getLong(Thread.currentThread(), Recorder.TOKEN) | 2 * READ << shift);
    }

    /** The same for writes. */
    @ForceInline
    public static boolean knowsWrite(long word, int shift) {
        return (word & (~COUNTS | WRITES << shift)) == (U.getLong(Thread.currentThread(), Recorder.TOKEN) | 2 * WRITE << shift);
    }

    /** A read that is not known; null: of a static field. Returns the new shadow word. */
    @DontInline
    public static long read(Object o, long word, int site, int shift) {
        Thread thread = Thread.currentThread();
        Recorder me = Recorder.of(thread);
        if (me == null) return word;
        Stacks.at(site, me);
        if (o == null) me.uses(site);
        long token = U.getLong(thread, Recorder.TOKEN);
        me.reads(site, o == null ? 0 : me.object(o));
        if (!Recorder.FILTER) return word;
        if ((word & ~COUNTS) != token) return token | READ << shift;
        return (word & READS << shift) == 2 * READ << shift ? word : word + (READ << shift);
    }

    /** A write that is not known. */
    @DontInline
    public static long write(Object o, long word, int site, int shift) {
        Thread thread = Thread.currentThread();
        Recorder me = Recorder.of(thread);
        if (me == null) return word;
        Stacks.at(site, me);
        if (o == null) me.uses(site);
        long token = U.getLong(thread, Recorder.TOKEN);
        me.plain(site, o == null ? 0 : me.object(o));
        if (!Recorder.FILTER) return word;
        if ((word & ~COUNTS) != token) return token | WRITE << shift;
        return (word & WRITES << shift) == 2 * WRITE << shift ? word : word + (WRITE << shift);
    }

    /** An access to a field without a shadow word. */
    @DontInline
    public static void readAny(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        Stacks.at(site, me);
        if (o == null) me.uses(site);
        me.plain(site, o == null ? 0 : me.object(o));
    }

    /** A field of an object is read; of an object of another class it has been, since it may turn out to be volatile. */
    public static void readField(Object o, int site) {
        long[] row = Fields.ROWS[site >>> Fields.ROW_BITS];
        long known = row == null ? 0 : row[site & Fields.ROW - 1];
        int mode = (int) known & Fields.MODE;
        if (o == null || mode == Kinds.TELL_NOTHING) return;
        if (mode == Kinds.TELL_WORD) {
            long word = U.getLong(o, known >>> Fields.PLACE & Fields.PLACES);
            int shift = (int) known >>> Fields.SHIFT & Fields.SHIFTS;
            if ((word & (~COUNTS | READS << shift))
                    == (U.getLong(Thread.currentThread(), Recorder.TOKEN) | 2 * READ << shift)) return;
        } else if (mode == Kinds.TELL_FROZEN) {
            if (U.getByte(o, known >>> Fields.PLACE & Fields.PLACES) != 0) return;
        }
        Fields.read(o, site, known);
    }

    /** Before a field of an object is written. */
    public static void writeField(Object o, int site) {
        long[] row = Fields.ROWS[site >>> Fields.ROW_BITS];
        long known = row == null ? 0 : row[site & Fields.ROW - 1];
        int mode = (int) known & Fields.MODE;
        if (o == null || mode == Kinds.TELL_NOTHING) return;
        if (mode == Kinds.TELL_WORD) {
            long word = U.getLong(o, known >>> Fields.PLACE & Fields.PLACES);
            int shift = (int) known >>> Fields.SHIFT & Fields.SHIFTS;
            if ((word & (~COUNTS | WRITES << shift))
                    == (U.getLong(Thread.currentThread(), Recorder.TOKEN) | 2 * WRITE << shift)) return;
        } else if (mode == Kinds.TELL_FROZEN) {
            if (U.getByte(o, known >>> Fields.PLACE & Fields.PLACES) != 0) return;
        }
        Fields.write(o, site, known);
    }

    /** A read that is told each time. */
    @DontInline
    public static void readAlways(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        Stacks.at(site, me);
        if (o == null) me.uses(site);
        me.reads(site, o == null ? 0 : me.object(o));
    }

    /** The value that was read last is watched, or one that is watched is about to be used. */
    @DontInline
    public static void flow(int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        Stacks.at(site, me);
        me.plain(site, 0);
    }

    /** The same around a call, where no lock says when. */
    @DontInline
    public static void flowNow(int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        Stacks.at(site, me);
        me.flowNow(site);
    }

    public static void writeAny(Object o, int site) {
        readAny(o, site);
    }

    public static void arrayRead(Object array, int index, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null && array != null) me.element(array, index, site);
    }

    public static void arrayWrite(Object array, int index, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null && array != null) me.element(array, index, site);
    }

    /**
     * After a loop: it has accessed the elements from {@code from} on, before {@code until}. A few are told one by one, so
     * that they join those of the loop's run before.
     */
    @DontInline
    public static void arrayRange(Object array, int from, int until, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null || array == null || from < 0 || from >= until) return;
        Stacks.at(site, me);
        if (until - from > FEW) {
            me.elements(site, array, from, until);
            return;
        }
        for (int index = from; index < until; index++) me.element(array, index, site);
    }

    /**
     * After a loop: it has accessed every so many-th element from {@code from} on, the next would be {@code until}. All that
     * were accessed lie in the array; that next one need not even be an int, and the difference is right all the same.
     */
    @DontInline
    public static void arraySteps(Object array, int from, int until, int step, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null || array == null || from < 0 || from == until) return;
        int width = Math.abs(step);
        int count = Integer.divideUnsigned(step < 0 ? from - until : until - from, width);
        int first = step < 0 ? from - (count - 1) * width : from;
        Stacks.at(site, me);
        if (count == 1) me.element(array, first, site);
        else me.stepwise(site, array, first, width, count);
    }

    private static final int FEW = 16;

    /** After a volatile field was read. */
    @DontInline
    public static void volatileRead(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        Stacks.at(site, me);
        if (o == null) me.uses(site);
        me.stamped(site, o == null ? 0 : me.object(o), 0);
    }

    /** Before a volatile field is written. */
    public static void volatileWrite(Object o, int site) {
        volatileRead(o, site);
    }

    /** Before a monitor is entered: overflows the stack now if a probe call could do so when the monitor is held. */
    @ForceInline
    public static void room() {
        Room.make();
    }

    /** After a monitor was entered. */
    @DontInline
    public static void enter(Object lock, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null || lock == null) return;
        Stacks.at(site, me);
        long number = me.object(lock);
        me.enter(site, number, me.info(lock.getClass()).number);
    }

    /** Before a monitor is left. */
    @DontInline
    public static void exit(Object lock, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null || lock == null) return;
        me.exit(site, me.object(lock));
    }

    @DontInline
    public static void begin(int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null) me.border(site, 0);
    }

    public static void finish(int site) {
        begin(site);
    }

    /** A constructor has ended. */
    @DontInline
    public static void freeze(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null && o != null) me.freeze(site, me.object(o));
    }

    /** The end of a constructor, which comes before the finalizer begins. */
    @DontInline
    public static void orders(Object o, int site) {
        finalizers = true;
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null) me.stamped(site, me.object(o), me.info(o.getClass()).number);
    }

    /**
     * A finalizer begins. Whoever did something to the object had it in hand then, and nobody has now: its fields are those
     * of another object from here on. What it leads to may be in use still, and only the constructor is known to be over.
     */
    @DontInline
    public static void finalizes(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        me.stamped(site, me.object(o), me.info(o.getClass()).number);
        me.inside = true;
        try {
            if (isFinalizer(me.thread)) me.renumber(o);
        } catch (Throwable thrown) {
            // It keeps its number, and what was done to it may look unordered. The program must not notice.
            Lost.to(thrown);
        } finally {
            me.inside = false;
        }
    }

    /** Whether the JVM calls finalizers in a thread; a program may call one like any method. */
    private static boolean isFinalizer(Thread thread) {
        if (thread.getClass().getName().equals("java.lang.ref.Finalizer$FinalizerThread")) return true;
        ThreadGroup group = thread.getThreadGroup();
        return group != null && group.getParent() == null && thread.getName().equals("Secondary finalizer");
    }

    /** Whether any class has been met that has a finalizer: its own constructor comes before those of classes below it. */
    private static boolean finalizers;

    /** A constructor has ended; of a class above which there may be a finalizer. */
    @ForceInline
    public static void made(Object o, int site) {
        if (finalizers) madeWhole(o, site);
    }

    @DontInline
    private static void madeWhole(Object o, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        ClassInfo info = me.info(o.getClass());
        me.inside = true;
        boolean finalized = info.isFinalized();
        me.inside = false;
        if (finalized) me.stamped(site, me.object(o), info.number);
    }

    /** A class's static initialiser has ended. */
    @DontInline
    public static void initialised(Class<?> c, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        int number = Sites.classOf(site);
        me.haveInitialised(number);
        me.stamped(site, number, number);
    }

    /** A static final field is read: what it leads to was made before, when the class was initialised. */
    public static void uses(int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null) me.uses(site);
    }

    /** What a model line says of a call. */
    @DontInline
    public static void effect(Object receiver, Object target, long value, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        me.inside = true;
        try {
            for (Effect effect : Choice.at(site, receiver)) effect.happens(target, value, me);
        } catch (Throwable thrown) {
            // The program must not notice; a stack that is too deep will be noticed without our help.
            Lost.to(thrown);
        } finally {
            me.holdsBack = false;
            me.inside = false;
        }
    }

    /** Array elements that a call accesses. */
    @DontInline
    public static void effectRange(Object receiver, Object array, int from, int to, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null || array == null) return;
        me.inside = true;
        try {
            for (Effect effect : Choice.at(site, receiver)) effect.range(array, from, to, me);
        } catch (Throwable thrown) {
            // As above.
            Lost.to(thrown);
        } finally {
            me.inside = false;
        }
    }

    /** A variable that is reached by a handle, an updater or an address. */
    @DontInline
    public static void effectHandle(Object receiver, Object handle, Object base, int index, long value, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        me.inside = true;
        try {
            for (Effect effect : Choice.at(site, receiver)) effect.handle(handle, base, index, value, me);
        } catch (Throwable thrown) {
            // As above.
            Lost.to(thrown);
        } finally {
            me.holdsBack = false;
            me.inside = false;
        }
    }

    /** A reference as a number: 0 for null. */
    @ForceInline
    public static long bit(Object o) {
        return o == null ? 0 : 1;
    }

    /** An object was cloned, perhaps with what we keep in it. */
    @DontInline
    public static void cloned(Object copy, Object of) {
        Clones.cloned(copy, of);
    }

    /** A test begins. */
    public static void mark(String test, int site) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me != null) me.border(site, 0);
    }

    /** A method runs that the plan holds for unused. */
    @DontInline
    public static void unplanned(String method) {
        Recorder me = Recorder.of(Thread.currentThread());
        if (me == null) return;
        me.inside = true;
        try {
            Sites.unplanned(method);
        } catch (Throwable ignored) {
            // The program must not notice.
        } finally {
            me.inside = false;
        }
    }

    /** Links an access to a static field of another class: see {@link Link}. */
    public static CallSite link(
            MethodHandles.Lookup caller, String name, MethodType type, Class<?> owner, String field, int site) {
        return Link.link(name, type, owner, field, site);
    }

    /** The fields that reflection may show. */
    public static Field[] fields(Class<?> of, Field[] fields) {
        return Filter.fields(fields);
    }

    /** The methods that reflection may show. */
    public static Method[] methods(Class<?> of, Method[] methods) {
        return Filter.methods(methods);
    }

    /** Initialises everything that probes use: what fails here fails before anything is woven. */
    static void prepare() {
        Thread thread = Thread.currentThread();
        Recorder me = Recorder.of(thread);
        if (me == null) throw new IllegalStateException("nothing can be recorded");
        me.inside = true;
        me.object(thread);
        me.object(new int[1]);
        Choice.prepare();
        Variables.prepare();
        Link.prepare();
        Pin.prepare();
        Fields.prepare();
        Clones.prepare();
        Waits.prepare();
        Reserve.fill();
        me.inside = false;
    }

    /** The current thread has ended; called by the agent, or where a virtual thread ends. */
    public static void ended(Thread thread) {
        Recorder.finish(thread);
    }
}
