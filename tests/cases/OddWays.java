import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import support.Threads;

/** Objects that come to another thread by ways that are easily overlooked. All are ordered; every box is shared. */
public class OddWays {
    static class Box {
        int value;
    }

    static class Trouble extends RuntimeException {
        int code;
    }

    /** The handler runs in the thread that dies. */
    static void handlerOfUncaughtExceptionsOk() throws InterruptedException {
        Box box = new Box();
        Thread thread = new Thread(() -> {
            throw new IllegalStateException();
        });
        thread.setUncaughtExceptionHandler((dead, why) -> box.value = 1);
        thread.start();
        thread.join();
        check(box.value == 1);
    }

    /** What a task throws comes to whoever asks for its result. */
    static void exceptionOfATaskOk() throws InterruptedException {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            pool.submit(() -> {
                Trouble trouble = new Trouble();
                trouble.code = 7;
                throw trouble;
            }).get();
        } catch (ExecutionException wrapped) {
            check(((Trouble) wrapped.getCause()).code == 7);
        } finally {
            pool.shutdown();
        }
    }

    /** What makes threads may be asked by any of them. */
    static void factoryOk() throws Exception {
        Box box = new Box();
        ThreadFactory factory = task -> new Thread(() -> {
            box.value++;
            task.run();
        });
        ExecutorService pool = Executors.newSingleThreadExecutor(factory);
        pool.submit(() -> {}).get();
        pool.shutdown();
        check(box.value == 1);
    }

    /** A callback runs wherever the stage before ended. */
    static void callbackOk() {
        Box box = new Box();
        CompletableFuture<Void> start = new CompletableFuture<>();
        CompletableFuture<Void> end = start.whenComplete((nothing, failed) -> box.value = 2);
        new Thread(() -> start.complete(null)).start();
        end.join();
        check(box.value == 2);
    }

    /** One thread makes what another finds in a map. */
    static void madeByAMapOk() throws InterruptedException {
        ConcurrentHashMap<String, Box> map = new ConcurrentHashMap<>();
        Thread thread = new Thread(() -> map.computeIfAbsent("a", key -> {
            Box made = new Box();
            made.value = 3;
            return made;
        }));
        thread.start();
        thread.join();
        check(map.get("a").value == 3);
    }

    /** A comparator is called by whoever uses the map. */
    static void comparatorOk() throws InterruptedException {
        Box calls = new Box();
        TreeMap<String, String> map = new TreeMap<>((one, other) -> {
            calls.value++;
            return one.compareTo(other);
        });
        Object lock = new Object();
        Threads.Body put = () -> {
            synchronized (lock) {
                map.put("key", "value");
            }
        };
        Threads.run(put, put);
        check(calls.value > 0);
    }

    /** An array in a field of a thread, and what is in it. */
    static void arrayOfAThreadOk() throws InterruptedException {
        class Worker extends Thread {
            final Box[] boxes = {new Box()};

            @Override
            public void run() {
                boxes[0].value = 4;
            }
        }
        Worker worker = new Worker();
        worker.start();
        worker.join();
        check(worker.boxes[0].value == 4);
    }

    /** The same task run by hand once more. */
    static void runTwiceOk() throws Exception {
        Box box = new Box();
        FutureTask<Integer> task = new FutureTask<>(() -> ++box.value);
        Runnable twice = () -> box.value++;
        new Thread(task).start();
        check(task.get() == 1);
        twice.run();
        Thread thread = new Thread(twice);
        thread.start();
        thread.join();
        check(box.value == 3);
    }

    static void check(boolean right) {
        if (!right) {
            throw new AssertionError();
        }
    }

    public static void main(String[] arguments) throws Exception {
        handlerOfUncaughtExceptionsOk();
        exceptionOfATaskOk();
        factoryOk();
        callbackOk();
        madeByAMapOk();
        comparatorOk();
        arrayOfAThreadOk();
        runTwiceOk();
        System.out.println("all came round");
    }
}
