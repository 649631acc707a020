import java.util.List;
import support.Threads;

/** A lambda that is run while a lock is held is protected by it; one that is made there and run elsewhere is not. */
public class LambdasUnderLock {
    static class Calls {
        private final Object lock = new Object();
        private int count;

        private void locked(Runnable task) {
            synchronized (lock) {
                task.run();
            }
        }

        void add() {
            locked(() -> count++);
        }
    }

    static class Each {
        private int sum;

        synchronized void add(List<Integer> numbers) {
            numbers.forEach(number -> sum += number);
        }
    }

    static class Reference {
        private int count;

        private void one() {
            count++;
        }

        private void locked(Runnable task) {
            synchronized (this) {
                task.run();
            }
        }

        void add() {
            locked(this::one);
        }
    }

    static class Handed {
        private int count;

        synchronized Thread add() {
            Thread thread = new Thread(() -> count++); //~ data-race
            thread.start();
            return thread;
        }
    }

    static class Kept {
        private Runnable task;
        private int count;

        synchronized void make() {
            task = () -> count++; //~ data-race
        }

        synchronized Runnable task() {
            return task;
        }
    }

    static int calledOk() throws InterruptedException {
        Calls calls = new Calls();
        Threads.inTurn(calls::add, calls::add);
        return calls.count;
    }

    static int forEachOk() throws InterruptedException {
        Each each = new Each();
        Threads.inTurn(() -> each.add(List.of(1, 2)), () -> each.add(List.of(3)));
        return each.sum;
    }

    static int referenceOk() throws InterruptedException {
        Reference reference = new Reference();
        Threads.inTurn(reference::add, reference::add);
        return reference.count;
    }

    static int handedBad() throws InterruptedException {
        Handed handed = new Handed();
        Threads.inTurn(() -> handed.add().join(), () -> handed.add().join());
        return handed.count;
    }

    static int keptBad() throws InterruptedException {
        Kept kept = new Kept();
        kept.make();
        Threads.inTurn(() -> kept.task().run(), () -> kept.task().run());
        return kept.count;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LambdasUnderLock " + calledOk() + forEachOk() + referenceOk() + handedBad() + keptBad());
    }
}
