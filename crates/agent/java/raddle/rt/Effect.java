package raddle.rt;

import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;

/**
 * An effect of a model line as the agent describes it: what is done, to which object, under which condition. Runs only
 * inside a probe, so what it uses of the JDK is not recorded.
 *
 * <p>Its larger parts must not be inlined: all of them at every place where one is used would keep the second compiler busy
 * for longer than a short program runs.
 */
final class Effect {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final Effect[] NONE = new Effect[0];

    /** What is done; the numbers are the agent's. */
    private static final int PLAIN = 0, STAMPED = 1, FORK = 2, JOIN = 3, USES = 4, ENTER = 5, EXIT = 6,
            TRIAL_BEGINS = 7, TRIAL_ENDS = 8, RELEASE_BY = 9, CONVERT_BEFORE = 10, CONVERT_AFTER = 11, PART = 12,
            VARIABLE = 13, RANGE = 14;

    /** Which object is meant, seen from the one that is handed over. */
    private static final int WHOLE = 1, LAST = 2, EACH = 3;

    /** Moments. */
    private static final int BEFORE = 0, AFTER = 1;

    /** Modes of a stamp, and of a lock in the third word of a record. */
    private static final int NOT = 0, EXCLUSIVE = 1, READ = 2;
    private static final long MODES = 3L << 56;

    private final int does, reach, condition, base, moment, flags;
    /** Where it is recorded: one for each thing that it may be recorded as. */
    private final int[] sites;
    /** Fields to follow. */
    private final String[] fields;
    /** Whether a wait on a monitor begins or ends. */
    private final boolean waits;
    /** Whether it is told how threads come there: not in the JDK, where one site stands for all who call it. */
    private final boolean tells;
    /** Of an update that may fail: which result means that it did not; 0 for others. */
    private final int succeeds;

    private Effect(String[] fields, int[] numbers) {
        this.fields = fields;
        does = numbers[0];
        reach = numbers[1];
        condition = numbers[2];
        base = numbers[3];
        moment = numbers[4];
        flags = numbers[5] & 0xff;
        succeeds = numbers[5] >> 8;
        tells = numbers[6] != 0;
        sites = java.util.Arrays.copyOfRange(numbers, 7, numbers.length);
        int kind = sites.length > 0 && sites[0] != 0 ? Sites.kind(sites[0]) : 0;
        waits = does == STAMPED && (kind == Kinds.WAIT || kind == Kinds.WOKEN);
    }

    /** What happens at a site for receivers of a class; null stands for lines that hold for all. */
    static Effect[] of(int site, Class<?> receiver) {
        Object[] told = describe(site, receiver);
        if (told == null || told.length == 0) return NONE;
        Effect[] effects = new Effect[told.length / 2];
        for (int i = 0; i < effects.length; i++) {
            effects[i] = new Effect((String[]) told[2 * i], (int[]) told[2 * i + 1]);
        }
        return effects;
    }

    /** It happens, if the result is as it should be. */
    void happens(Object target, long value, Recorder me) {
        if (does != RELEASE_BY && does != CONVERT_BEFORE && does != CONVERT_AFTER && !holds(value)) return;
        Object o = base == 1 ? me.thread : base == 2 ? this : target;
        o = along(o, fields);
        if (reach == LAST && fields.length > 0) {
            for (Object next = o; next != null; next = get(next, fields[fields.length - 1])) o = next;
        }
        if (o == null) return;
        if (succeeds != 0) {
            update(value, me);
            stamped(sites[0], o, me);
            me.holdsBack = false;
            return;
        }
        if (reach == EACH) {
            if (o instanceof Object[]) {
                for (Object each : (Object[]) o) if (each != null) does(each, value, me);
            } else if (o instanceof java.util.List && o.getClass().getClassLoader() == null) {
                for (Object each : (java.util.List<?>) o) if (each != null) does(each, value, me);
            }
            return;
        }
        does(reach == WHOLE ? Identities.whole(o, me) : o, value, me);
    }

    private boolean holds(long value) {
        return holds(condition, value);
    }

    private static boolean holds(int condition, long value) {
        switch (condition) {
            case 1: return value != 0;    // true, nonzero, nonnull
            case 2: return value == 0;    // false, zero, null
            case 3: return value > 0;     // positive
            default: return true;
        }
    }

    @DontInline
    private void does(Object o, long value, Recorder me) {
        switch (does) {
            case PLAIN:
                whole(sites[0], o, me);
                break;
            case STAMPED:
                stamped(sites[0], o, me);
                if (waits) me.waits = Sites.kind(sites[0]) == Kinds.WAIT;
                break;
            case FORK:
                if (o instanceof Thread) {
                    int other = Recorder.numberOf((Thread) o);
                    Stacks.starts(other, sites[0], me);
                    me.stamped(sites[0], other, 0);
                }
                break;
            case JOIN:
                if (o instanceof Thread && ((Thread) o).getState() == Thread.State.TERMINATED) {
                    me.stamped(sites[0], Recorder.numberOf((Thread) o), 0);
                }
                break;
            case USES:
                uses(o, me);
                break;
            case ENTER:
                if (waitAndHold(o, me)) stamped(sites[0], o, me);
                break;
            case EXIT:
                stamped(sites[0], o, me);
                letGo(o);
                break;
            case TRIAL_BEGINS:
                me.beginTrial();
                break;
            case TRIAL_ENDS:
                me.endTrial(true);
                break;
            case RELEASE_BY:
                stamped(mode(value) == READ ? sites[3] : sites[2], o, me);
                break;
            case CONVERT_BEFORE:
                me.converted = value;
                // What it gives up it gives up now, unless it goes on to more.
                if (flags != EXCLUSIVE && mode(value) != NOT && mode(value) != flags) {
                    stamped(mode(value) == READ ? sites[3] : sites[2], o, me);
                }
                break;
            case CONVERT_AFTER:
                converted(mode(me.converted), value != 0, o, me);
                break;
            default:
        }
    }

    /** A stamp's lock was to be converted. */
    @DontInline
    private void converted(int from, boolean done, Object o, Recorder me) {
        if (flags == from) return;
        if (flags == EXCLUSIVE) {
            if (!done) return;
            if (from == NOT) stamped(sites[0], o, me);
            else {
                if (tells) Stacks.at(sites[4], me);
                me.stamped(sites[4], me.object(o), me.info(o.getClass()).number, MODES | from | (long) flags << 8);
            }
            return;
        }
        int now = done ? flags : from;
        if (now != NOT) stamped(now == READ ? sites[1] : sites[0], o, me);
    }

    /** How a stamp of a StampedLock holds it: the lowest seven bits count readers, the next one is the writer's. */
    private static int mode(long stamp) {
        if ((stamp & 128) != 0 && (stamp & 127) == 0) return EXCLUSIVE;
        return (stamp & 127) != 0 ? READ : NOT;
    }

    @DontInline
    private void stamped(int site, Object o, Recorder me) {
        if (site == 0) return;
        if (tells) Stacks.at(site, me);
        ClassInfo info = me.info(o.getClass());
        if (info.offset != 0) {
            me.stamped(site, me.object(o), info.number);
            return;
        }
        Identities.Entry entry = me.entry(o);
        if (entry == null) {
            me.stamped(site, me.freshIdentity(), info.number);
            return;
        }
        switch (Sites.kind(site)) {
            case Kinds.VOLATILE_READ:
                me.volatileRead(site, entry, info.number);
                break;
            case Kinds.VOLATILE_WRITE:
            case Kinds.UPDATE_WRITE:
                me.volatileWrite(site, entry, info.number);
                break;
            default:
                me.stamped(site, entry.number, info.number);
        }
    }

    /** An object that is accessed as one variable. */
    @DontInline
    private void whole(int site, Object o, Recorder me) {
        ClassInfo info = me.info(o.getClass());
        Identities.Entry entry = info.offset != 0 ? null : me.entry(o);
        if (entry != null && me.knows(entry, Sites.kind(site) == Kinds.OBJECT_WRITE)) return;
        if (tells) Stacks.at(site, me);
        me.whole(site, entry != null ? entry.number : me.object(o), info.number);
    }

    /** A collection is looked at or changed: what that means is a matter of its kind. */
    @DontInline
    private void uses(Object o, Recorder me) {
        boolean mutates = (flags & 1) != 0, held = (flags & 2) != 0, watched = (flags & 4) != 0;
        Object mutex = null;
        for (int i = 0; i < 16; i++) {
            ClassInfo info = me.info(o.getClass());
            int kind = info.kind();
            if (kind == Kinds.WRAPPER || kind == Kinds.SYNCHRONISED) {
                if (kind == Kinds.SYNCHRONISED && held && mutex == null) {
                    mutex = along(o, info.mutex());
                    if (mutex == null) return;
                    if (moment == BEFORE && !enter(mutex, me)) return;
                }
                Object inner = along(o, info.path());
                if (inner != null && inner != o) {
                    o = inner;
                    continue;
                }
            } else if (kind == Kinds.UNSYNCHRONISED) {
                if (moment == BEFORE && watched) whole(sites[0], o, me);
            } else if (kind == Kinds.CONCURRENT) {
                if (moment == BEFORE && mutates) stamped(sites[1], o, me);
                if (moment == AFTER) stamped(sites[2], o, me);
            }
            break;
        }
        if (mutex != null && moment != BEFORE) {
            stamped(sites[4], mutex, me);
            letGo(mutex);
        }
    }

    private boolean enter(Object mutex, Recorder me) {
        if (!waitAndHold(mutex, me)) return false;
        stamped(sites[3], mutex, me);
        return true;
    }

    /** Array elements. */
    @DontInline
    void range(Object array, int from, int to, Recorder me) {
        if (does != RANGE) return;
        array = along(array, fields);
        if (array == null || !array.getClass().isArray()) return;
        from = Math.max(from, 0);
        to = Math.min(to, java.lang.reflect.Array.getLength(array));
        if (from >= to) return;
        if (tells) Stacks.at(sites[0], me);
        me.elements(sites[0], array, from, to);
    }

    /** A variable that a handle, an updater or an address leads to; or a part and its whole. */
    void handle(Object other, Object base, int index, long value, Recorder me) {
        if (does == PART) {
            Object part = this.base == 1 ? me.thread : base;
            if (part != null && other != null) Identities.part(part, other, me);
            return;
        }
        if (does != VARIABLE) return;
        // An address comes as the value, and the result in the place of the index.
        boolean memory = flags == 3;
        if (!holds(memory ? index : value)) return;
        if (succeeds != 0) update(memory ? index : value, me);
        Variables.record(flags, other, base, memory ? 0 : index, memory ? value : 0, sites[0], tells, me);
        me.holdsBack = false;
    }

    /** Before an update that may fail its write is held back; after it, it is known what it was. */
    private void update(long value, Recorder me) {
        if (moment == BEFORE) me.holdsBack = true;
        else me.settle(holds(succeeds, value), sites[0]);
    }

    private static Object along(Object o, String[] fields) {
        for (String field : fields) {
            if (o == null) return null;
            o = get(o, field);
        }
        return o;
    }

    /** By class, and gone with it; a look-up makes nothing. */
    private static final ClassValue<ConcurrentHashMap<String, Long>> OFFSETS = new ClassValue<>() {
        @Override
        protected ConcurrentHashMap<String, Long> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>(4);
        }
    };

    @DontInline
    static Object get(Object o, String field) {
        for (Class<?> c = o.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            if (c.getClassLoader() != null) continue;
            long offset = offset(c, field);
            if (offset != 0) return U.getReference(o, offset);
        }
        return null;
    }

    /** Where a field of a class of the JDK is; 0 if it has none of that name. */
    @DontInline
    static long offset(Class<?> c, String field) {
        boolean held = Pin.hold(Thread.currentThread());
        try {
            ConcurrentHashMap<String, Long> known = OFFSETS.get(c);
            Long offset = known.get(field);
            if (offset == null) known.put(field, offset = find(c, field));
            return offset;
        } finally {
            Pin.release(held);
        }
    }

    private static long find(Class<?> c, String field) {
        try {
            return U.objectFieldOffset(c, field);
        } catch (InternalError none) {
            // Not this class.
            return 0;
        }
    }

    /** Fields and numbers, in turn. */
    private static native Object[] describe(int site, Class<?> receiver);

    /** Enters a monitor, as the call will do anyway. */
    private static boolean waitAndHold(Object o, Recorder me) {
        if (Pin.isVirtual(me.thread)) {
            // From native code a virtual thread waits together with its carrier, which whoever has the monitor may need to go
            // on. So it waits here, if it has to.
            synchronized (o) {
            }
        }
        return hold(o);
    }

    private static native boolean hold(Object o);

    private static native void letGo(Object o);
}
