import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Vector;
import java.util.concurrent.TimeUnit;

/**
 * Threads that sleep while they have the lock of a synchronised collection, and many more that wait for it: virtual ones, where
 * there are any. Those that wait must not keep the carriers that the sleeping ones need to go on.
 */
public class Held {
    static final List<Integer> LIST = Collections.synchronizedList(new ArrayList<>());
    static final Vector<Integer> VECTOR = new Vector<>();

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int k = 0; k < 20; k++) {
            boolean sleeps = k % 5 == 0;
            threads.add(start(() -> adds(sleeps)));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            if (thread.isAlive()) {
                System.out.println("they block each other");
                Runtime.getRuntime().halt(3);
            }
        }
        System.out.println(LIST.size() + " " + VECTOR.size());
    }

    private static Thread start(Runnable task) throws ReflectiveOperationException {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (NoSuchMethodException older) {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        }
    }

    private static void adds(boolean sleeps) {
        try {
            for (int i = 0; i < 20; i++) {
                if (sleeps) {
                    synchronized (LIST) {
                        Thread.sleep(5);
                        LIST.add(i);
                    }
                    synchronized (VECTOR) {
                        Thread.sleep(5);
                        VECTOR.add(i);
                    }
                } else {
                    LIST.add(i);
                    VECTOR.add(i);
                    Thread.sleep(1);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
