package raddle.rt;

import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.misc.Unsafe;

/**
 * An effect of a model line as the agent describes it: which object it is about, under which condition. Runs only
 * inside a probe, so what it uses of the JDK is not recorded.
 */
final class Effect {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** No effect. */
    static final Effect NONE = new Effect(0, new String[0], 0, 0, 0);

    /** Which object is meant, seen from the one that is handed over. */
    private static final int WHOLE = 1, LAST = 2, EACH = 3;

    /** Where it is recorded. */
    final int site;
    private final int kind;
    /** Fields to follow. */
    private final String[] fields;
    private final int reach;
    private final int condition;
    /** The kind that a collection's class must have; 0: any object will do. */
    private final int of;

    private Effect(int site, String[] fields, int reach, int condition, int of) {
        this.site = site;
        this.kind = Sites.kind(site);
        this.fields = fields;
        this.reach = reach;
        this.condition = condition;
        this.of = of;
    }

    /** What happens at a site for receivers of a class; null stands for a line that holds for all. */
    static Effect of(int site, Class<?> receiver) {
        String[] fields = fields(site, receiver);
        if (fields == null) return NONE;
        int[] numbers = new int[4];
        describe(site, receiver, numbers);
        return new Effect(numbers[0], fields, numbers[1], numbers[2], numbers[3]);
    }

    /** Whether it happens at all, given the call's result. */
    boolean holds(long value) {
        switch (condition) {
            case 0: return true;
            case 1: return value != 0;    // true, nonzero, nonnull
            case 2: return value == 0;    // false, zero, null
            case 3: return value > 0;     // positive
            default: return true;
        }
    }

    void happens(Object target, Recorder me) {
        Object o = follow(target);
        if (o == null) return;
        if (reach == EACH) {
            if (o instanceof Object[]) {
                for (Object each : (Object[]) o) if (each != null) record(each, me);
            } else if (o instanceof java.util.List && o.getClass().getClassLoader() == null) {
                for (Object each : (java.util.List<?>) o) if (each != null) record(each, me);
            }
            return;
        }
        if (reach == WHOLE) o = Identities.whole(o, me);
        record(o, me);
    }

    private void record(Object o, Recorder me) {
        if (of != 0) {
            // A wrapper or view stands for its collection, which may be another one.
            for (int i = 0; i < 16 && ClassInfo.of(o.getClass()).kind() == Kinds.WRAPPER; i++) {
                Object inner = along(o, ClassInfo.of(o.getClass()).path());
                if (inner == null || inner == o) return;
                o = inner;
            }
            if (ClassInfo.of(o.getClass()).kind() != of) return;
        }
        switch (kind) {
            case Kinds.FORK:
                if (o instanceof Thread) me.stamped(site, Recorder.numberOf((Thread) o), 0);
                break;
            case Kinds.JOIN:
                if (o instanceof Thread && ((Thread) o).getState() == Thread.State.TERMINATED) {
                    me.stamped(site, Recorder.numberOf((Thread) o), 0);
                }
                break;
            case Kinds.OBJECT_READ:
            case Kinds.OBJECT_WRITE:
                me.plain(site, me.object(o));
                break;
            default:
                me.stamped(site, me.object(o), ClassInfo.of(o.getClass()).number);
        }
    }

    private Object follow(Object target) {
        Object o = along(target, fields);
        if (reach == LAST && fields.length > 0) {
            for (Object next = o; next != null; next = get(next, fields[fields.length - 1])) o = next;
        }
        return o;
    }

    private static Object along(Object o, String[] fields) {
        for (String field : fields) {
            if (o == null) return null;
            o = get(o, field);
        }
        return o;
    }

    private static final ConcurrentHashMap<String, Long> OFFSETS = new ConcurrentHashMap<>();

    private static Object get(Object o, String field) {
        for (Class<?> c = o.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            if (c.getClassLoader() != null) continue;
            String key = c.getName() + '.' + field;
            Long offset = OFFSETS.get(key);
            if (offset == null) {
                long found = 0;
                try {
                    found = U.objectFieldOffset(c, field);
                } catch (InternalError none) {
                    // Not this class.
                }
                OFFSETS.put(key, offset = found);
            }
            if (offset != 0) return U.getReference(o, offset);
        }
        return null;
    }

    /** The fields to follow; null if nothing happens. */
    private static native String[] fields(int site, Class<?> receiver);

    private static native void describe(int site, Class<?> receiver, int[] into);
}
