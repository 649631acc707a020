import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** Loads its guest by many loaders that are dropped again: all must go, or memory runs out. */
public class Loaders {
    public static class GuestThread extends Thread {
        static volatile int seen;
        private int[] cells = new int[3];
        private static final VarHandle CELLS = MethodHandles.arrayElementVarHandle(int[].class);

        @Override
        public void run() {
            CELLS.set(cells, 1, (int) CELLS.get(cells, 0) + 1);
            seen++;
        }
    }

    public static class Guest implements Runnable {
        static int runs;
        final Object lock = new Object();
        int mine;
        static final ThreadLocal<Object> local = new ThreadLocal<>();

        @Override
        public void run() {
            synchronized (lock) {
                mine++;
            }
            runs++;
            Runnable more = () -> mine++;
            more.run();
            Thread other = new Thread(() -> {
                synchronized (lock) {
                    mine++;
                }
            });
            other.start();
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(Loaders.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.startsWith("Loaders$Guest") ? own(name) : super.loadClass(name, resolve);
        }

        protected Class<?> own(String name) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) return known;
                try (InputStream in = getResourceAsStream(name + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        List<WeakReference<ClassLoader>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Loader loader = new Loader();
            ((Runnable) loader.loadClass("Loaders$Guest").getDeclaredConstructor().newInstance()).run();
            // Called from here, where every loader has another class.
            Thread guest = (Thread) loader.loadClass("Loaders$GuestThread").getDeclaredConstructor().newInstance();
            guest.start();
            guest.join();
            all.add(new WeakReference<>(loader));
        }
        int left = count;
        for (int i = 0; i < 50 && left > count / 10; i++) {
            System.gc();
            Thread.sleep(20);
            left = (int) all.stream().filter(one -> one.get() != null).count();
        }
        System.out.println(left <= count / 10 ? "most are gone" : left + " are left");
    }
}
