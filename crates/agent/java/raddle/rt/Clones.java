package raddle.rt;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/** Copies of objects. A copy is another object: what the weaver keeps in the original must not be in it. */
final class Clones {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final MethodHandle FIELDS = fields();

    private Clones() {}

    /** All fields that a class declares: the list that programs see is without ours. */
    private static MethodHandle fields() {
        try {
            MethodType type = MethodType.methodType(Field[].class, boolean.class);
            return Link.TRUSTED.findVirtual(Class.class, "getDeclaredFields0", type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Where objects of a class keep what is ours. */
    private static final ClassValue<long[]> WORDS = new ClassValue<>() {
        @Override
        protected long[] computeValue(Class<?> type) {
            long[] words = new long[8];
            int count = 0;
            for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
                if (c.getClassLoader() == null) continue;
                for (Field field : declared(c)) {
                    if (!field.getName().startsWith("$raddle$") || Modifier.isStatic(field.getModifiers())) continue;
                    // That final fields are settled is true of the copy too.
                    if (field.getType() != long.class) continue;
                    if (count == words.length) words = Arrays.copyOf(words, 2 * count);
                    words[count++] = U.objectFieldOffset(field);
                }
            }
            return Arrays.copyOf(words, count);
        }
    };

    private static Field[] declared(Class<?> c) {
        try {
            return (Field[]) FIELDS.invokeExact(c, false);
        } catch (Throwable e) {
            return new Field[0];
        }
    }

    /** Called after a method named clone. It may have made its result in any way: only a copy has our number in it. */
    static void cloned(Object copy, Object of) {
        if (copy == null || of == null || copy == of || copy.getClass() != of.getClass()) return;
        Recorder me = Recorder.of(Thread.currentThread());
        boolean held = me != null && Pin.hold(me);
        try {
            long place = ClassInfo.of(copy.getClass()).offset;
            if (place == 0) return;
            long number = U.getLong(copy, place);
            if (number == 0 || number != U.getLong(of, place)) return;
            for (long word : WORDS.get(copy.getClass())) U.putLong(copy, word, 0);
        } finally {
            Pin.release(held);
        }
    }

    /** Initialises the class, and what it uses. */
    static void prepare() {
        if (declared(Thread.class).length == 0) throw new IllegalStateException("no fields");
    }
}
