import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

public class Calls {
    volatile int updated;
    int handled;

    static class Cell extends AtomicReference<String> {
        void put(String s) {
            set(s);
        }

        @Override
        public String toString() {
            return get() + super.get();
        }
    }

    static class Mine extends ArrayList<String> {
        @Override
        public boolean add(String s) {
            return super.add(s + "+");
        }
    }

    static void strings() {
        StringBuilder builder = new StringBuilder();
        builder.append("a").append(1).insert(0, 2L);
        StringBuffer buffer = new StringBuffer("x");
        buffer.append(builder).append('c');
        System.out.println(builder.length() + buffer.toString());
    }

    static void collections() {
        ArrayList<String> exact = new ArrayList<>();
        exact.add("e");
        List<String> list = Collections.synchronizedList(new ArrayList<>(exact));
        list.add("f");
        try {
            list.get(9);
        } catch (IndexOutOfBoundsException e) {
            System.out.println("out");
        }
        Map<String, Integer> map = new HashMap<>();
        map.put("k", 1);
        for (Iterator<String> i = list.iterator(); i.hasNext();) System.out.println(i.next());
        Vector<Integer> vector = new Vector<>();
        vector.add(3);
        System.out.println(map.getOrDefault("k", 2) + vector.get(0) + " " + new Mine().add("m") + map.get("k"));
    }

    static void atomics() {
        AtomicInteger n = new AtomicInteger(1);
        n.incrementAndGet();
        System.out.println(n.compareAndSet(2, 3) + " " + n.compareAndSet(2, 4) + " " + n.get());
        Cell cell = new Cell();
        cell.put("v");
        System.out.println(cell);
        AtomicIntegerArray array = new AtomicIntegerArray(3);
        array.addAndGet(2, 5);
        System.out.println(array.get(2));
    }

    void handles() throws ReflectiveOperationException {
        VarHandle handle = MethodHandles.lookup().findVarHandle(Calls.class, "handled", int.class);
        handle.setVolatile(this, 4);
        System.out.println((int) handle.getAndAdd(this, 2) + (int) handle.get(this));
        VarHandle elements = MethodHandles.arrayElementVarHandle(long[].class);
        long[] longs = new long[2];
        System.out.println(elements.compareAndSet(longs, 1, 0L, 5L) + " " + (long) elements.getAcquire(longs, 1));
        AtomicIntegerFieldUpdater<Calls> updater = AtomicIntegerFieldUpdater.newUpdater(Calls.class, "updated");
        System.out.println(updater.incrementAndGet(this));
    }

    static void locks() throws InterruptedException {
        Lock lock = new ReentrantLock();
        lock.lock();
        try {
            Condition condition = lock.newCondition();
            System.out.println(condition.await(1, TimeUnit.NANOSECONDS));
        } finally {
            lock.unlock();
        }
        System.out.println(lock.tryLock());
        lock.unlock();
        try {
            lock.unlock();
        } catch (IllegalMonitorStateException e) {
            System.out.println("not held");
        }
        StampedLock stamped = new StampedLock();
        long stamp = stamped.readLock();
        long upgraded = stamped.tryConvertToWriteLock(stamp);
        stamped.unlock(upgraded);
        CountDownLatch latch = new CountDownLatch(1);
        latch.countDown();
        System.out.println(latch.await(1, TimeUnit.SECONDS));
    }

    static Object waitsOutside(Object monitor) throws InterruptedException {
        synchronized (monitor) {
            monitor.wait(1);
        }
        return monitor;
    }

    static void waits() {
        Object monitor = new Object();
        try {
            waitsOutside(monitor);
            Thread.currentThread().interrupt();
            waitsOutside(monitor);
        } catch (InterruptedException e) {
            System.out.println("interrupted");
        }
        synchronized (monitor) {
            try {
                Thread.currentThread().interrupt();
                monitor.wait(0, 1);
                System.out.println("never");
            } catch (InterruptedException e) {
                System.out.println("caught here");
            }
        }
        try {
            monitor.wait();
        } catch (IllegalMonitorStateException | InterruptedException e) {
            System.out.println(e.getClass().getSimpleName());
        }
    }

    static void arrays() throws IOException {
        int[] from = {1, 2, 3};
        int[] to = new int[5];
        System.arraycopy(from, 1, to, 2, 2);
        byte[] bytes = new byte[4];
        int read = new ByteArrayInputStream(new byte[] {9, 8}).read(bytes, 1, 3);
        char[] chars = new char[3];
        "hello".getChars(1, 3, chars, 1);
        System.out.println(to[3] + bytes[1] + read + new String(chars, 1, 2));
        try {
            System.arraycopy(from, 0, to, 4, 3);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println("too far");
        }
    }

    static void threads() throws InterruptedException {
        int[] box = {0};
        Thread thread = new Thread(() -> {
            synchronized (box) {
                box[0]++;
            }
        }, "worker");
        thread.start();
        thread.join();
        System.out.println(box[0] + " " + thread.isAlive());
    }

    public static void main(String[] args) throws Exception {
        strings();
        collections();
        atomics();
        new Calls().handles();
        locks();
        waits();
        arrays();
        threads();
        try {
            List<String> none = null;
            none.add("");
        } catch (NullPointerException e) {
            System.out.println("none");
        }
    }
}
