package raddle.rt;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import jdk.internal.misc.Unsafe;

/** What is known of a class at run time: its number, where its objects keep theirs, of what kind it is as a collection. */
final class ClassInfo {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The class's number in the trace. */
    final int number;

    /** Where an object of the class keeps its number; 0 if it has no place for it. */
    final long offset;

    final Class<?> type;

    /** Of what kind it is as a collection: the kind, the fields to what it stands for, the fields to its mutex. */
    private Object[] kind;

    /** Whether its objects have a finalizer: 0 not known, 1 yes, 2 no. */
    private byte finalized;

    /** Stands for a class of which nothing could be found out. */
    static final ClassInfo UNKNOWN = new ClassInfo();

    private static final ClassValue<ClassInfo> ALL = new ClassValue<>() {
        @Override
        protected ClassInfo computeValue(Class<?> type) {
            return new ClassInfo(type);
        }
    };

    private ClassInfo() {
        type = Object.class;
        number = 0;
        offset = 0;
    }

    private ClassInfo(Class<?> type) {
        this.type = type;
        this.number = numberOf(type);
        long found = 0;
        for (Class<?> c = type; c != null && c != Object.class && found == 0; c = c.getSuperclass()) {
            if (c.getClassLoader() == null || !hasNumbers(c)) continue;
            found = U.objectFieldOffset(c, "$raddle$id");
        }
        if (found != 0) numbered(type);
        this.offset = found;
    }

    static ClassInfo of(Class<?> type) {
        return ALL.get(type);
    }

    /** Whether its objects have a finalizer, of the class's own or inherited. */
    boolean isFinalized() {
        if (finalized == 0) {
            byte found = 2;
            try {
                MethodHandle finalizer = Link.TRUSTED.findVirtual(type, "finalize", MethodType.methodType(void.class));
                if (Link.TRUSTED.revealDirect(finalizer).getDeclaringClass() != Object.class) found = 1;
            } catch (Throwable e) {
                Lost.to(e);
            }
            finalized = found;
        }
        return finalized == 1;
    }

    /** The kind of a collection class: 0 none. */
    int kind() {
        Object[] known = kind;
        if (known == null) {
            known = kindOf(type);
            kind = known = known == null ? new Object[] {new int[1], new String[0], new String[0]} : known;
        }
        return ((int[]) known[0])[0];
    }

    /** The fields to what a wrapper stands for; after {@link #kind}. */
    String[] path() {
        return (String[]) kind[1];
    }

    /** The fields to what guards a synchronised collection; after {@link #kind}. */
    String[] mutex() {
        return (String[]) kind[2];
    }

    private static native int numberOf(Class<?> type);

    /** Whether the class itself was woven with a place for numbers. */
    private static native boolean hasNumbers(Class<?> type);

    /** Objects of exactly this class keep their number. */
    private static native void numbered(Class<?> type);

    private static native Object[] kindOf(Class<?> type);
}
