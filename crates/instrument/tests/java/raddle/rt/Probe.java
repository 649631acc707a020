package raddle.rt;

import java.io.PrintStream;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;

/** Stands in for the real probe in tests: writes every call to a file, one a line, with objects numbered as they come. */
public final class Probe {
    private static final PrintStream LOG = open();
    private static final IdentityHashMap<Object, Integer> NUMBERS = new IdentityHashMap<>();
    private static final boolean FILTER = Boolean.getBoolean("raddle.filter");
    private static final long TOKEN = 1 << 24;

    private static PrintStream open() {
        try {
            String file = System.getProperty("raddle.log");
            return file == null ? null : new PrintStream(new java.io.FileOutputStream(file), true, "UTF-8");
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(Object o) {
        if (o == null) return "null";
        if (o instanceof Class) return ((Class<?>) o).getName() + ".class";
        String name = o.getClass().getName();
        int lambda = name.indexOf("$$Lambda");
        if (lambda >= 0) name = name.substring(0, lambda) + "$$Lambda";
        Integer number = NUMBERS.get(o);
        if (number == null) NUMBERS.put(o, number = NUMBERS.size() + 1);
        return name.substring(name.lastIndexOf('.') + 1) + "@" + number;
    }

    private static synchronized void log(int site, String text) {
        if (LOG == null) return;
        String thread = Thread.currentThread().getName();
        LOG.println((thread.equals("main") ? "" : "[" + thread + "] ") + "#" + site + " " + text);
    }

    public static boolean knowsRead(long word, int shift) { return (word & (~0xffffffL | 3L << shift)) == (TOKEN | 2L << shift); }
    public static boolean knowsWrite(long word, int shift) { return (word & (~0xffffffL | 12L << shift)) == (TOKEN | 8L << shift); }

    private static long counted(long word, int shift) {
        if (!FILTER) return 0;
        if ((word & ~0xffffffL) != TOKEN) word = TOKEN;
        return (word >> shift & 3) < 2 ? word + (1L << shift) : word;
    }

    public static long read(Object o, long word, int site, int shift) { log(site, name(o)); return counted(word, shift); }
    public static long write(Object o, long word, int site, int shift) { log(site, name(o)); return counted(word, shift + 2); }
    public static void readAny(Object o, int site) { log(site, "any " + name(o)); }
    public static void writeAny(Object o, int site) { log(site, "any " + name(o)); }
    public static void arrayRead(Object a, int index, int site) { log(site, name(a) + "[" + index + "]"); }
    public static void arrayWrite(Object a, int index, int site) { log(site, name(a) + "[" + index + "]"); }
    public static void arrayRange(Object a, int from, int until, int site) {
        if (a != null && from < until) log(site, name(a) + "[" + from + ".." + until + "]");
    }

    public static void arraySteps(Object a, int from, int until, int step, int site) {
        if (a != null && from != until) log(site, name(a) + "[" + from + ".." + until + " by " + step + "]");
    }

    public static void uses(int site) { log(site, ""); }
    public static void volatileRead(Object o, int site) { log(site, name(o)); }
    public static void linkedVolatileRead(Object o, int site) { log(site, name(o) + ", found to be volatile"); }
    public static void volatileWrite(Object o, int site) { log(site, name(o)); }
    public static void room() {}
    public static void enter(Object o, int site) { log(site, name(o) + held(o)); }
    public static void exit(Object o, int site) { log(site, name(o) + held(o)); }
    public static void begin(int site) { log(site, ""); }
    public static void finish(int site) { log(site, ""); }
    public static void freeze(Object o, int site) { log(site, name(o)); }
    public static void orders(Object o, int site) { log(site, name(o)); }
    public static void made(Object o, int site) {}
    public static void initialised(Class<?> c, int site) { log(site, name(c)); }
    public static void cloned(Object copy, Object of) {}

    public static void mark(String test, int site) { log(site, test); }
    public static void readAlways(Object o, int site) { log(site, name(o)); }
    public static void flow(int site) { log(site, ""); }
    public static void flowNow(int site) { log(site, ""); }
    public static void unplanned(String method) { log(0, method); }
    public static long bit(Object o) { return o == null ? 0 : 1; }

    private static String held(Object o) { return Thread.holdsLock(o) ? "" : " NOT HELD"; }

    public static void effect(Object receiver, Object target, long value, int site) {
        if (site == 0) return;
        log(site, (receiver == null ? "" : "by " + name(receiver) + " ") + name(target) + " " + value);
    }

    public static void effectRange(Object receiver, Object array, int from, int to, int site) {
        log(site, (receiver == null ? "" : "by " + name(receiver) + " ") + name(array) + " " + from + ".." + to);
    }

    public static void effectHandle(Object receiver, Object handle, Object base, int index, long value, int site) {
        log(site, "by " + name(handle) + " " + name(base) + "[" + index + "] " + value);
    }

    /** What is known of fields: by site, and where objects of a class keep what is known. */
    private static final HashMap<Integer, String[]> SITES = new HashMap<>();
    private static final HashMap<String, String[]> PLACES = new HashMap<>();

    static {
        String file = System.getProperty("raddle.known");
        try {
            for (String line : file == null ? List.<String>of() : Files.readAllLines(Paths.get(file))) {
                String[] parts = line.split("\t");
                if (parts[0].equals("place")) PLACES.put(parts[1], parts);
                else SITES.put(Integer.valueOf(parts[1]), parts);
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void readField(Object o, int site) throws ReflectiveOperationException { field(o, site, false); }
    public static void writeField(Object o, int site) throws ReflectiveOperationException { field(o, site, true); }

    private static void field(Object o, int site, boolean write) throws ReflectiveOperationException {
        if (o == null) return;
        String[] known = SITES.get(site);
        if (known[0].equals("own")) {
            Class<?> c = above(o.getClass(), known[2]);
            at(o, c, known[3], Integer.parseInt(known[4]), site, write, known[5].equals("true"));
            return;
        }
        Class<?> owner = above(o.getClass(), known[2]);
        Field found = find(owner, known[3]);
        String when = known[4];
        if (Modifier.isVolatile(found.getModifiers())) {
            if (when.equals("Always")) return;
            if (write) volatileWrite(o, site); else linkedVolatileRead(o, site);
            return;
        }
        if (when.equals("Volatile") || when.startsWith("Kept") && keeps(o.getClass())) return;
        String[] place = PLACES.get(found.getDeclaringClass().getName() + "." + known[3]);
        if (when.equals("Always")) readAlways(o, site);
        else if (place != null)
            at(o, found.getDeclaringClass(), place[2], Integer.parseInt(place[3]), site, write, false);
        else if (!Modifier.isFinal(found.getModifiers())) readAny(o, site);
    }

    private static Class<?> above(Class<?> c, String name) {
        while (!c.getName().equals(name)) c = c.getSuperclass();
        return c;
    }

    private static void at(Object o, Class<?> c, String name, int shift, int site, boolean write, boolean always)
            throws ReflectiveOperationException {
        Field word = c.getDeclaredField(name);
        word.setAccessible(true);
        if (word.getType() == boolean.class) {
            if (!word.getBoolean(o)) readAny(o, site);
            return;
        }
        long old = word.getLong(o);
        if (!always && (write ? knowsWrite(old, shift) : knowsRead(old, shift))) return;
        word.setLong(o, write ? write(o, old, site, shift) : read(o, old, site, shift));
    }

    private static Field find(Class<?> c, String name) {
        for (; c != null; c = c.getSuperclass()) {
            try {
                return c.getDeclaredField(name);
            } catch (NoSuchFieldException e) {
                // above
            }
        }
        return null;
    }

    public static CallSite link(MethodHandles.Lookup lookup, String name, MethodType type, Class<?> owner, String field,
            int site) throws ReflectiveOperationException {
        int colon = field.lastIndexOf(':');
        String simple = field.substring(0, colon);
        Field found = find(owner, simple);
        boolean isVolatile = found != null && Modifier.isVolatile(found.getModifiers());
        boolean constant = found == null || Modifier.isStatic(found.getModifiers()) && Modifier.isFinal(found.getModifiers());
        boolean wanted = isVolatile || !constant && (name.equals("r") || name.equals("u"));
        MethodHandle target;
        if (!wanted) {
            target = MethodHandles.empty(type);
        } else if (isVolatile) {
            target = of(name.equals("a") || name.equals("r") ? "linkedVolatileRead" : "volatileWrite", type, site);
        } else {
            target = accessor(lookup, found.getDeclaringClass(), "$raddle$" + name + "$" + simple, type, site);
            if (target == null) target = of(name.equals("r") ? "readAny" : "writeAny", type, site);
        }
        return new ConstantCallSite(target);
    }

    private static boolean keeps(Class<?> of) throws ReflectiveOperationException {
        for (Class<?> c = of; c != Object.class; c = c.getSuperclass()) {
            Field keeps = find(c, "$raddle$keeps");
            if (keeps == null || keeps.getDeclaringClass() != c) return false;
            keeps.setAccessible(true);
            if (keeps.getInt(null) == 0) return false;
        }
        return true;
    }

    private static MethodHandle accessor(MethodHandles.Lookup lookup, Class<?> owner, String name, MethodType type, int site)
            throws ReflectiveOperationException {
        for (Method method : owner.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                MethodHandle handle = lookup.unreflect(method);
                handle = MethodHandles.insertArguments(handle, type.parameterCount(), site);
                return handle.asType(type);
            }
        }
        return null;
    }

    private static MethodHandle of(String name, MethodType type, int site) throws ReflectiveOperationException {
        MethodHandle handle = MethodHandles.lookup().findStatic(Probe.class, name,
                MethodType.methodType(void.class, Object.class, int.class));
        handle = MethodHandles.insertArguments(handle, 1, site);
        if (type.parameterCount() == 0) handle = MethodHandles.insertArguments(handle, 0, (Object) null);
        return handle.asType(type);
    }
}
