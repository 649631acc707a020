package raddle.rt;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;

/**
 * Links an access to a static field of another class when it is first run: only then is it known which class declares the
 * field, whether that class was woven and whether the field is volatile.
 *
 * <p>Names: {@code r} after a read, {@code a} the same where only volatile fields count, {@code u} before a write (an
 * update), {@code v} the same where only volatile fields count, {@code f} after a read that is told each time.
 */
final class Link {
    private static final Unsafe U = Unsafe.getUnsafe();
    static final MethodHandles.Lookup TRUSTED = trusted();

    private static MethodHandles.Lookup trusted() {
        try {
            Field field = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            return (MethodHandles.Lookup) U.getReference(U.staticFieldBase(field), U.staticFieldOffset(field));
        } catch (ReflectiveOperationException e) {
            return MethodHandles.lookup();
        }
    }

    static CallSite link(String name, MethodType type, Class<?> owner, String field, int site) {
        Thread thread = Thread.currentThread();
        Recorder me = (Recorder) U.getReference(thread, Recorder.STATE);
        boolean was = me != null && me.inside;
        if (me != null) me.inside = true;
        boolean held = me != null && Pin.hold(me);
        try {
            Reserve.fill();
            while (true) {
                try {
                    return new ConstantCallSite(target(name, type, owner, field, site).asType(type));
                } catch (OutOfMemoryError e) {
                    if (Reserve.give()) continue;
                    Lost.to(e);
                    return new ConstantCallSite(MethodHandles.empty(type));
                }
            }
        } catch (Throwable e) {
            return new ConstantCallSite(MethodHandles.empty(type));
        } finally {
            Pin.release(held);
            if (me != null) me.inside = was;
        }
    }

    private static MethodHandle target(String name, MethodType type, Class<?> owner, String field, int site)
            throws ReflectiveOperationException {
        int colon = field.indexOf(':');
        String simple = field.substring(0, colon), descriptor = field.substring(colon + 1);
        // Finds the field as the instruction will, and initialises nothing.
        Class<?> of = MethodType.fromMethodDescriptorString("()" + descriptor, owner.getClassLoader()).returnType();
        MethodHandleInfo info = TRUSTED.revealDirect(TRUSTED.findStaticGetter(owner, simple, of));
        Class<?> declaring = info.getDeclaringClass();
        int flags = info.getModifiers();
        boolean isFinal = Modifier.isFinal(flags);
        // A final field that leads nowhere, and one that is only looked at for being volatile.
        if (isFinal && (of.isPrimitive() || of == String.class || !name.equals("r"))) return MethodHandles.empty(type);
        site = linked(site, declaring, simple, descriptor, flags);
        if (isFinal) {
            MethodHandle uses = TRUSTED.findStatic(Probe.class, "uses", MethodType.methodType(void.class, int.class));
            return MethodHandles.insertArguments(uses, 0, site);
        }
        boolean isVolatile = Modifier.isVolatile(flags);
        switch (name) {
            case "r":
                return isVolatile ? any("volatileRead", site) : accessor("r", declaring, simple, descriptor, site);
            case "a":
                return isVolatile ? any("volatileRead", site) : MethodHandles.empty(type);
            case "f":
                return isVolatile ? MethodHandles.empty(type) : any("readAlways", site);
            case "u":
                return isVolatile ? any("volatileWrite", site) : accessor("u", declaring, simple, descriptor, site);
            case "v":
                return isVolatile ? any("volatileWrite", site) : MethodHandles.empty(type);
            default:
                return MethodHandles.empty(type);
        }
    }

    /** The accessor that the weaver has added beside the field; without one every access is reported. */
    private static MethodHandle accessor(String kind, Class<?> declaring, String field, String descriptor, int site)
            throws ReflectiveOperationException {
        try {
            MethodHandle found = find(declaring, "$raddle$" + kind + "$" + field, descriptor);
            return MethodHandles.insertArguments(found, 0, site);
        } catch (ReflectiveOperationException notWoven) {
            return any(kind.equals("r") ? "readAny" : "writeAny", site);
        }
    }

    /** An accessor, which is also named by the descriptor where a class has several fields of one name. */
    private static MethodHandle find(Class<?> declaring, String name, String descriptor)
            throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(void.class, int.class);
        try {
            return TRUSTED.findStatic(declaring, name, type);
        } catch (NoSuchMethodException overloaded) {
            String plain = descriptor.replace('/', '_').replace(';', '_').replace('[', '_').replace('.', '_');
            return TRUSTED.findStatic(declaring, name + "$raddle$" + plain, type);
        }
    }

    private static MethodHandle any(String method, int site) throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(void.class, Object.class, int.class);
        return MethodHandles.insertArguments(TRUSTED.findStatic(Probe.class, method, type), 0, null, site);
    }

    /** The site as it is known now that its field is. */
    private static native int linked(int site, Class<?> declaring, String name, String descriptor, int flags);

    /** Initialises the class, and what it uses. */
    static void prepare() {
        if (TRUSTED.lookupModes() == 0) throw new IllegalStateException("no look-up");
    }
}
