import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import support.Invisible;

/** Locks, queues and an executor order virtual threads as they do others, and races stay races. Needs JDK 21. */
public class VirtualLocks {
    static final ReentrantLock LOCK = new ReentrantLock();
    static int locked, half, monitor, ordered, twice;

    static class Box {
        int value;
    }

    static final LinkedBlockingQueue<Box> BOXES = new LinkedBlockingQueue<>();

    static void add() {
        LOCK.lock();
        try {
            locked++;
        } finally {
            LOCK.unlock();
        }
    }

    static ExecutorService executor(Method maker) throws ReflectiveOperationException {
        return (ExecutorService) maker.invoke(null);
    }

    static void end(ExecutorService executor) throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(20, TimeUnit.SECONDS)) throw new IllegalStateException("too slow");
    }

    static void locksOk(Method maker) throws Exception {
        ExecutorService executor = executor(maker);
        for (int i = 0; i < 200; i++) {
            executor.execute(() -> {
                add();
                Thread.yield();
                synchronized (VirtualLocks.class) {
                    monitor++;
                }
                add();
            });
        }
        end(executor);
        ordered = locked + monitor;
    }

    static void lockOfOneOnlyBad(Method maker) throws Exception {
        Invisible.restart();
        ExecutorService executor = executor(maker);
        executor.execute(() -> {
            LOCK.lock();
            half = 1; //~ data-race
            LOCK.unlock();
            Invisible.step(0);
        });
        executor.execute(() -> {
            Invisible.step(1);
            half = 2; //~ data-race
        });
        end(executor);
    }

    static void queueOk(Method maker) throws Exception {
        ExecutorService executor = executor(maker);
        for (int i = 0; i < 20; i++) {
            executor.submit(() -> {
                Box box = new Box();
                box.value = 1;
                BOXES.put(box);
                return null;
            });
            executor.submit(() -> {
                Box box = BOXES.take();
                box.value++;
                return null;
            });
        }
        end(executor);
    }

    static void submitBad(Method maker) throws Exception {
        Invisible.restart();
        ExecutorService executor = executor(maker);
        for (int i = 0; i < 2; i++) {
            int turn = i;
            executor.submit(() -> {
                Invisible.await(turn);
                twice++; //~ data-race
                Invisible.step(turn);
            });
        }
        end(executor);
    }

    public static void main(String[] args) throws Exception {
        Method maker;
        try {
            maker = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
        } catch (NoSuchMethodException e) {
            System.out.println("VirtualLocks skip: needs JDK 21");
            return;
        }
        locksOk(maker);
        lockOfOneOnlyBad(maker);
        queueOk(maker);
        submitBad(maker);
        System.out.println("VirtualLocks " + ordered + " " + half + " " + twice);
    }
}
