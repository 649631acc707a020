import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Figure 1 of Racer. */
class Task implements Runnable {
    static int shared;
    static int sharedProtected;
    int notShared;

    public void run() {
        System.out.println(shared++); // shared
        synchronized (Task.class) {
            System.out.println(sharedProtected++); // shared
        }
        System.out.println(notShared++); // local
    }

    public static void main(String[] args) {
        Task task1 = new Task();
        Task task2 = new Task();
        Thread thread1 = new Thread(task1);
        Thread thread2 = new Thread(task2);
        thread1.start();
        thread2.start();
    }
}

class Box {
    int value;
    Box next;
}

/** Objects that never leave the method that made them, run by many threads. */
class LocalBoxes extends Thread {
    Box kept = new Box(); // local
    int count;

    public void run() {
        Box box = new Box();
        box.value = 1; // local
        box.next = new Box(); // local
        box.next.value = 2; // local
        step();
    }

    private void step() {
        count++; // local
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 4; i++) {
            LocalBoxes thread = new LocalBoxes();
            thread.start();
        }
    }
}

/** What a lambda captures is the other thread's too. */
class Captured {
    public static void main(String[] args) {
        Box box = new Box();
        Box other = new Box();
        Thread thread = new Thread(() -> box.value++); // shared
        thread.start();
        box.value = 5; // shared
        other.value = 6; // local
    }
}

/** Threads in a list, objects through a map. */
class Collections2 {
    static class Worker extends Thread {
        private final Map<String, Box> boxes;
        private int own;

        Worker(Map<String, Box> boxes) {
            this.boxes = boxes;
        }

        public void run() {
            boxes.get("a").value++; // shared
            own++; // local
        }
    }

    public static void main(String[] args) throws Exception {
        Map<String, Box> boxes = new HashMap<>();
        Box box = new Box();
        boxes.put("a", box);
        Map<String, Box> mine = new HashMap<>();
        mine.put("b", new Box());
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            workers.add(new Worker(boxes));
        }
        for (Worker worker : workers) {
            worker.start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        box.value = 9; // shared
        mine.get("b").value = 3; // local
    }
}

/** Executors and futures. */
class Pools {
    static class Job implements Callable<Box> {
        final Box given;
        int runs;

        Job(Box given) {
            this.given = given;
        }

        public Box call() {
            runs++; // local
            given.value++; // shared
            Box made = new Box();
            made.value = 4; // shared
            return made;
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Box box = new Box();
        Box got = pool.submit(new Job(box)).get();
        got.value++; // shared
        box.value++; // shared
        Supplier<Box> supplier = () -> {
            Box fresh = new Box();
            fresh.value = 1; // shared
            Box hidden = new Box();
            hidden.value = 2; // local
            return fresh;
        };
        Box later = CompletableFuture.supplyAsync(supplier).get();
        later.value++; // shared
        List<Box> all = new ArrayList<>();
        all.add(new Box());
        all.parallelStream().forEach(each -> each.value++); // shared
        pool.shutdown();
    }
}

/** Calls go where the objects are. */
class Dispatch {
    interface Shape {
        int area();
    }

    static class Square implements Shape {
        public int area() {
            return 4;
        }
    }

    static class Circle implements Shape {
        public int area() {
            return 3;
        }
    }

    static class Never implements Shape {
        public int area() {
            return 0;
        }
    }

    static class Holder implements Comparable<Holder> {
        Shape shape;

        public int compareTo(Holder other) {
            return helper();
        }

        int helper() {
            return 1;
        }
    }

    public static void main(String[] args) {
        Holder one = new Holder();
        one.shape = new Square();
        Holder two = new Holder();
        two.shape = new Circle();
        one.shape.area();
        List<Holder> holders = new ArrayList<>();
        holders.add(two);
        holders.sort(null);
        holders.get(0).shape.area();
    }
}

/** One field is accessed by a handle, the other one by its thread alone. */
class Handled extends Thread {
    private static final VarHandle HITS;
    private static int hits;
    private int mine;

    static {
        try {
            HITS = MethodHandles.lookup().findStaticVarHandle(Handled.class, "hits", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public void run() {
        hits = 1; // shared
        mine++; // local
    }

    public static void main(String[] args) {
        Handled task = new Handled();
        task.start();
        HITS.getAndAdd(1);
    }
}

/** A handle on a field whose name is told at run time may be one on any field of the class. */
class HandledBy extends Thread {
    private int hits;
    private int own;

    static void count(HandledBy task, String name) throws ReflectiveOperationException {
        MethodHandles.lookup().findVarHandle(HandledBy.class, name, int.class).getAndAdd(task, 1);
    }

    public void run() {
        hits = 1; // shared
        own++; // shared
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        HandledBy task = new HandledBy();
        task.start();
        count(task, args[0]);
    }
}

/** What only reflection hands out is nobody's own. */
class Reflected extends Thread {
    private Object hidden;
    private static Reflected task;

    public void run() {
        try {
            Box box = (Box) Reflected.class.getDeclaredField("hidden").get(task);
            box.value++; // shared
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) {
        Reflected made = new Reflected();
        Box box = new Box();
        made.hidden = box;
        task = made;
        made.start();
        box.value++; // shared
    }
}

// Tasks handed over by reflection only after there are too many of them to be told apart.
class ReflectedLate {
    static int count;
    static final Runnable[] TASKS = {new First(), new Second(), () -> count++, () -> count--};

    static class First implements Runnable {
        public void run() {
            count += 2;
        }
    }

    static class Second implements Runnable {
        public void run() {
            count += 3;
        }
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        Runnable task = chosen(args.length);
        handOver(task);
    }

    static Runnable chosen(int number) {
        return TASKS[number];
    }

    static void handOver(Runnable task) throws ReflectiveOperationException {
        again(task);
    }

    static void again(Runnable task) throws ReflectiveOperationException {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }
}

// The same, but the tasks come one by one to where they are handed over.
class ReflectedOneByOne {
    static int count;

    static class First implements Runnable {
        public void run() {
            count += 2;
        }
    }

    static class Second implements Runnable {
        public void run() {
            handOver(() -> count += 4);
        }
    }

    public static void main(String[] args) {
        handOver(new First());
        handOver(new Second());
        handOver(() -> handOver(() -> count++));
    }

    static void handOver(Runnable task) {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
