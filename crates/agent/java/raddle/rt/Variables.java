package raddle.rt;

import java.lang.reflect.Field;
import java.util.concurrent.ConcurrentHashMap;
import jdk.internal.misc.Unsafe;

/** Which variable a VarHandle, a field updater or an address means: a field of a class, or an element of an array. */
final class Variables {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What leads to the variable. */
    private static final int HANDLE = 1, UPDATER = 2, MEMORY = 3;

    /** In the third word of a record: an element's index follows, or a field's number. */
    private static final long ELEMENT = 1L << 56, FIELD = 2L << 56;

    private Variables() {}

    static void record(
            int leads, Object other, Object base, int index, long offset, int site, boolean tells, Recorder me) {
        boolean held = Pin.hold(me);
        try {
            tell(leads, other, base, index, offset, site, tells, me);
        } finally {
            Pin.release(held);
        }
    }

    private static void tell(
            int leads, Object other, Object base, int index, long offset, int site, boolean tells, Recorder me) {
        if (base != null && base.getClass().isArray()) {
            if (leads == MEMORY) {
                Class<?> type = base.getClass();
                index = (int) ((offset - base(type)) / U.arrayIndexScale(type));
            }
            element(base, index, site, tells, me);
            return;
        }
        int field = 0;
        switch (leads) {
            case HANDLE:
                field = ofHandle(other, base);
                break;
            case UPDATER:
                field = ofUpdater(other);
                break;
            case MEMORY:
                if (base != null) field = at(base.getClass(), offset);
                break;
            default:
                // An element of an object that holds an array, such as an AtomicIntegerArray.
                if (base != null) element(base, index, site, tells, me);
                return;
        }
        if (field == 0) return;
        long object = base == null ? 0 : me.object(base);
        switch (Sites.kind(site)) {
            case Kinds.READ:
            case Kinds.WRITE:
                site = siteFor(site, field);
                if (tells) Stacks.at(site, me);
                me.plain(site, object);
                break;
            default:
                if (tells) Stacks.at(site, me);
                me.stamped(site, object, 0, FIELD | field);
        }
    }

    /** Where the elements of an array begin. Asked by name, since what is returned is an int or a long by version. */
    private static long base(Class<?> type) {
        try {
            return ((Number) Unsafe.class.getMethod("arrayBaseOffset", Class.class).invoke(U, type)).longValue();
        } catch (ReflectiveOperationException e) {
            return 0;
        }
    }

    private static void element(Object array, int index, int site, boolean tells, Recorder me) {
        switch (Sites.kind(site)) {
            case Kinds.READ:
            case Kinds.WRITE:
                if (index < 0) return;
                site = elementSite(site, array);
                if (tells) Stacks.at(site, me);
                me.elements(site, array, index, index + 1);
                break;
            default:
                if (tells) Stacks.at(site, me);
                long number = me.object(array);
                me.accesses(array);
                me.stamped(site, number, ClassInfo.of(array.getClass()).number, ELEMENT | index & 0xffff_ffffL);
        }
    }

    /** The site for an element, since what is known of this one is that a variable is read or written. */
    private static int elementSite(int site, Object array) {
        ConcurrentHashMap<Integer, Integer> known = ELEMENT_SITES.get(array.getClass());
        Integer found = known.get(site);
        if (found == null) known.put(site, found = siteForElement(site, array.getClass()));
        return found;
    }

    /** By the class of the array; a class that goes away takes its table along. */
    private static final ClassValue<ConcurrentHashMap<Integer, Integer>> ELEMENT_SITES = new ClassValue<>() {
        @Override
        protected ConcurrentHashMap<Integer, Integer> computeValue(Class<?> type) {
            return new ConcurrentHashMap<>();
        }
    };

    private static int ofHandle(Object handle, Object base) {
        if (handle == null) return 0;
        Class<?> c = handle.getClass();
        long place = find(c, "fieldOffset");
        if (place == 0) return 0;
        long offset = U.getLong(handle, place);
        if (base != null) return at(base.getClass(), offset);
        long statics = find(c, "base");
        Object holder = statics == 0 ? null : U.getReference(handle, statics);
        return holder instanceof Class ? at((Class<?>) holder, ~offset) : 0;
    }

    private static int ofUpdater(Object updater) {
        if (updater == null) return 0;
        long place = find(updater.getClass(), "offset"), type = find(updater.getClass(), "tclass");
        Object of = type == 0 ? null : U.getReference(updater, type);
        return place == 0 || !(of instanceof Class) ? 0 : at((Class<?>) of, U.getLong(updater, place));
    }

    private static long find(Class<?> c, String field) {
        for (; c != null && c != Object.class; c = c.getSuperclass()) {
            long offset = Effect.offset(c, field);
            if (offset != 0) return offset;
        }
        return 0;
    }

    /** The fields of a class by where they are; static ones at the complement. */
    private static final ClassValue<ConcurrentHashMap<Long, Integer>> FIELDS = new ClassValue<>() {
        @Override
        protected ConcurrentHashMap<Long, Integer> computeValue(Class<?> type) {
            ConcurrentHashMap<Long, Integer> known = new ConcurrentHashMap<>();
            for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
                for (Field field : c.getDeclaredFields()) {
                    boolean isStatic = java.lang.reflect.Modifier.isStatic(field.getModifiers());
                    long place = isStatic ? ~U.staticFieldOffset(field) : U.objectFieldOffset(field);
                    String descriptor = field.getType().descriptorString();
                    known.putIfAbsent(place, fieldNumber(c, field.getName(), descriptor, field.getModifiers()));
                }
            }
            return known;
        }
    };

    /** The number of the field at an offset; of a static one at its complement. */
    private static int at(Class<?> type, long offset) {
        ConcurrentHashMap<Long, Integer> known = FIELDS.get(type);
        Integer number = known.get(offset);
        return number == null ? 0 : number;
    }

    private static native int fieldNumber(Class<?> of, String name, String descriptor, int flags);

    private static native int siteFor(int site, int field);

    private static native int siteForElement(int site, Class<?> array);

    /** Initialises the class, and what it uses. */
    static void prepare() {
        base(int[].class);
    }
}
