import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Races that are seen at calls into the JDK, by six threads, one after the other, which come on ways of their own. With
 * the argument "virtual" the threads are virtual ones.
 */
public class Calling {
    static final Map<String, String> MAP = new HashMap<>();
    static final List<String> LIST = new ArrayList<>();
    static final int[] COPIED = new int[8];
    static final ReentrantLock ONE = new ReentrantLock(), OTHER = new ReentrantLock();
    static int field;

    static void put() {
        MAP.put("a", "b");
    }

    static void add() {
        LIST.add("a");
    }

    static void copy() {
        System.arraycopy(new int[8], 0, COPIED, 0, 8);
    }

    static void count() {
        field++;
    }

    static void nest(ReentrantLock outer, ReentrantLock inner) {
        outer.lock();
        try {
            inner.lock();
            inner.unlock();
        } finally {
            outer.unlock();
        }
    }

    static void all(int thread) {
        put();
        add();
        copy();
        count();
        nest(thread % 2 == 0 ? ONE : OTHER, thread % 2 == 0 ? OTHER : ONE);
    }

    static void way0() {
        all(0);
    }

    static void way1() {
        all(1);
    }

    static void way2() {
        all(2);
    }

    static void way3() {
        all(3);
    }

    static void way4() {
        all(4);
    }

    static void way5() {
        all(5);
    }

    static Thread begin(Method virtual, int number, Runnable way) throws ReflectiveOperationException {
        Runnable body = () -> {
            Thread.currentThread().setName("way" + number);
            Turn.await(number);
            way.run();
            Turn.passed(number);
        };
        if (virtual != null) return (Thread) virtual.invoke(null, body);
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }

    static void startAll(Method virtual) throws ReflectiveOperationException, InterruptedException {
        Runnable[] ways = {Calling::way0, Calling::way1, Calling::way2, Calling::way3, Calling::way4, Calling::way5};
        List<Thread> threads = new LinkedList<>();
        for (int i = 0; i < ways.length; i++) threads.add(begin(virtual, i, ways[i]));
        for (Thread thread : threads) thread.join();
    }

    public static void main(String[] args) throws Exception {
        Method virtual = args.length > 0 ? Thread.class.getMethod("startVirtualThread", Runnable.class) : null;
        if (virtual == null) {
            startAll(null);
        } else {
            // Whoever starts the others is a virtual thread as well.
            Thread first = (Thread) virtual.invoke(null, (Runnable) () -> {
                try {
                    startAll(virtual);
                } catch (ReflectiveOperationException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            first.join();
        }
        System.out.println("Calling " + MAP.size() + " " + LIST.size() + " " + field);
    }
}
