package raddle.rt;

import jdk.internal.misc.Unsafe;

/** What is known of a class at run time: its number, where its objects keep theirs, of what kind it is as a collection. */
final class ClassInfo {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The class's number in the trace. */
    final int number;

    /** Where an object of the class keeps its number; 0 if it has no place for it. */
    final long offset;

    final Class<?> type;

    /** How objects of this class answer to being looked at or changed; -1 not asked yet. */
    private int kind = -1;

    /** Of a wrapper the fields that lead to what it stands for. */
    private String[] path;

    private static final ClassValue<ClassInfo> ALL = new ClassValue<>() {
        @Override
        protected ClassInfo computeValue(Class<?> type) {
            return new ClassInfo(type);
        }
    };

    private ClassInfo(Class<?> type) {
        this.type = type;
        this.number = numberOf(type);
        long found = 0;
        for (Class<?> c = type; c != null && c != Object.class && found == 0; c = c.getSuperclass()) {
            if (c.getClassLoader() == null || !hasNumbers(c)) continue;
            found = U.objectFieldOffset(c, "$raddle$id");
        }
        this.offset = found;
    }

    static ClassInfo of(Class<?> type) {
        return ALL.get(type);
    }

    /** The kind of a collection class: 0 none. */
    int kind() {
        int known = kind;
        if (known < 0) kind = known = kindOf(type);
        return known;
    }

    String[] path() {
        String[] known = path;
        if (known == null) {
            known = pathOf(type);
            path = known = known == null ? new String[0] : known;
        }
        return known;
    }

    private static native int numberOf(Class<?> type);

    /** Whether the class itself was woven with a place for numbers. */
    private static native boolean hasNumbers(Class<?> type);

    private static native int kindOf(Class<?> type);

    private static native String[] pathOf(Class<?> type);
}
