import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** Prints all that a program can see of its own classes. */
public class Looks {
    static class Plain {
        int number;
        volatile long big;
        static String name = "n";
        final int[] array = {1, 2};
        transient Object held;

        synchronized int next() {
            return ++number;
        }

        static synchronized void rename(String to) {
            name = to;
        }
    }

    static class Kept implements Serializable {
        int a;
        private String b = "b";
        static int counted;
        static final Object LOCK = new Object();

        void touch() {
            synchronized (LOCK) {
                counted++;
                a++;
            }
        }
    }

    static class KeptMore extends Kept {
        private double c;
        Runnable later = (Runnable & Serializable) () -> {};

        private void hidden() {
            c++;
        }
    }

    enum Colour implements Serializable {
        RED, GREEN {
            @Override int value() {
                return 2;
            }
        };

        int uses;

        int value() {
            return ++uses;
        }
    }

    record Point(int x, long y) implements Serializable {}

    interface Shape {
        int SIDES = Integer.parseInt("4");

        default int sides() {
            return SIDES;
        }

        static int none() {
            return 0;
        }
    }

    abstract static class Base implements Shape {
        protected int seen;

        abstract void see();
    }

    static class Derived extends Base {
        private class Inner {
            int of = seen;
        }

        @Override
        synchronized void see() {
            seen += new Inner().of + 1;
        }
    }

    public static void main(String[] args) throws Exception {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> c : Looks.class.getDeclaredClasses()) all.add(c);
        all.add(Looks.class);
        all.add(Derived.Inner.class);
        all.add(Colour.GREEN.getClass());
        all.sort((a, b) -> a.getName().compareTo(b.getName()));
        for (Class<?> c : all) look(c);
        use();
        traces();
        unsafe();
        handles();
        System.out.println("threads " + Thread.currentThread().getThreadGroup().activeCount());
        for (Field f : Thread.class.getDeclaredFields()) {
            if (f.getName().contains("raddle")) System.out.println("seen " + f);
        }
        for (Method m : Thread.class.getDeclaredMethods()) {
            if (m.getName().contains("raddle")) System.out.println("seen " + m);
        }
    }

    static void look(Class<?> c) {
        System.out.println("class " + c.getName() + " " + Modifier.toString(c.getModifiers()) + " " + c.isSynthetic());
        TreeSet<String> lines = new TreeSet<>();
        for (Field f : c.getDeclaredFields()) lines.add("field " + f.toGenericString() + " " + f.isSynthetic());
        for (Field f : c.getFields()) lines.add("public field " + f);
        for (Method m : c.getDeclaredMethods()) {
            // A compiler numbers lambdas; which number it takes is the same every time.
            lines.add("method " + m.toGenericString() + " " + m.isSynthetic() + " " + m.isBridge());
        }
        for (Method m : c.getMethods()) if (m.getDeclaringClass() != Object.class) lines.add("public method " + m);
        for (Constructor<?> k : c.getDeclaredConstructors()) lines.add("constructor " + k.toGenericString());
        for (Class<?> i : c.getInterfaces()) lines.add("interface " + i.getName());
        for (Class<?> n : c.getNestMembers()) lines.add("nest " + n.getName());
        if (c.isRecord()) lines.add("record " + Arrays.toString(c.getRecordComponents()));
        ObjectStreamClass stream = ObjectStreamClass.lookup(c);
        if (stream != null) {
            lines.add("uid " + stream.getSerialVersionUID());
            lines.add("stream fields " + Arrays.toString(stream.getFields()));
        }
        lines.forEach(System.out::println);
    }

    static void use() throws Exception {
        Plain plain = new Plain();
        Method next = Plain.class.getDeclaredMethod("next");
        System.out.println(next.invoke(plain) + " " + plain.next());
        Field number = Plain.class.getDeclaredField("number");
        number.setInt(plain, 40);
        System.out.println(plain.next() + " " + number.get(plain));
        new Kept().touch();
        new KeptMore().hidden();
        Derived derived = new Derived();
        derived.see();
        System.out.println(derived.seen + " " + derived.sides() + " " + Colour.GREEN.value() + Colour.RED.value());
        System.out.println(new Point(1, 2) + " " + new Point(1, 2).equals(new Point(1, 2)) + " " + new Point(1, 2).hashCode());
        Callable<?> proxy = (Callable<?>) Proxy.newProxyInstance(
                Looks.class.getClassLoader(), new Class<?>[] {Callable.class}, (p, m, a) -> m.getName());
        System.out.println(proxy.call());
        Object copy = Array.newInstance(Plain.class, 2);
        Array.set(copy, 1, plain);
        System.out.println(Array.getLength(copy) + " " + (Array.get(copy, 1) == plain));
    }

    static void traces() {
        try {
            new Object() {
                synchronized void fail() {
                    throw new IllegalStateException("on purpose");
                }
            }.fail();
        } catch (IllegalStateException e) {
            for (StackTraceElement frame : e.getStackTrace()) System.out.println(frame);
        }
        try {
            Plain none = null;
            none.number++;
        } catch (NullPointerException e) {
            System.out.println(e.getMessage());
        }
        try {
            new Plain().array[2]++;
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            Object text = "text";
            ((Plain) text).number = 1;
        } catch (ClassCastException e) {
            System.out.println("cast");
        }
        try {
            synchronized (none()) {
                System.out.println("not reached");
            }
        } catch (NullPointerException e) {
            System.out.println("null monitor");
        }
        StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES)
                .forEach(frame -> System.out.println("walk " + frame.getClassName() + "." + frame.getMethodName()));
        try {
            Looks.class.getDeclaredMethod("thrower").invoke(null);
        } catch (InvocationTargetException e) {
            System.out.println(e.getCause().getStackTrace()[0]);
        } catch (ReflectiveOperationException e) {
            System.out.println(e);
        }
    }

    static Object none() {
        return null;
    }

    static void thrower() {
        throw new UnsupportedOperationException();
    }

    static void unsafe() throws Exception {
        Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        sun.misc.Unsafe u = (sun.misc.Unsafe) f.get(null);
        Plain plain = new Plain();
        long number = u.objectFieldOffset(Plain.class.getDeclaredField("number"));
        long big = u.objectFieldOffset(Plain.class.getDeclaredField("big"));
        u.putInt(plain, number, 7);
        System.out.println(u.compareAndSwapLong(plain, big, 0, 9) + " " + plain.number + " " + plain.big);
        System.out.println(u.compareAndSwapLong(plain, big, 0, 10) + " " + u.getAndAddInt(plain, number, 2) + plain.number);
    }

    static void handles() throws Exception {
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(Plain.class, MethodHandles.lookup());
        VarHandle big = lookup.findVarHandle(Plain.class, "big", long.class);
        VarHandle number = lookup.findVarHandle(Plain.class, "number", int.class);
        Plain plain = new Plain();
        System.out.println(big.compareAndSet(plain, 0L, 5L) + " " + (long) big.getAndAdd(plain, 3L) + " " + plain.big);
        number.setRelease(plain, 11);
        System.out.println((int) number.getAcquire(plain) + " " + (int) number.getAndBitwiseOr(plain, 4) + plain.number);
        VarHandle elements = MethodHandles.arrayElementVarHandle(int[].class);
        int[] array = {1, 2, 3};
        System.out.println((int) elements.getAndAdd(array, 1, 5) + " " + array[1]);
        System.out.println(lookup.findGetter(Plain.class, "number", int.class).type());
    }
}
