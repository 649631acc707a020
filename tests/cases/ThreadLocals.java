import support.Threads;

/** A thread-local variable keeps threads apart only if each of them gets an object of its own. */
public class ThreadLocals {
    static class OpenCounter {
        int count;
    }

    static class Counter {
        int count;
    }

    static final OpenCounter ONE_FOR_ALL = new OpenCounter();
    static final ThreadLocal<OpenCounter> SAME = ThreadLocal.withInitial(() -> ONE_FOR_ALL);
    static final ThreadLocal<Counter> OWN = ThreadLocal.withInitial(Counter::new);
    static final int[] SEEN = new int[2];

    static void oneObjectForAllBad() throws InterruptedException {
        Threads.inTurn(
                () -> SAME.get().count++, //~ data-race
                () -> SAME.get().count++); //~ data-race
    }

    static void count(int index) {
        OWN.get().count++;
        OWN.get().count++;
        SEEN[index] = OWN.get().count;
    }

    static void oneObjectForEachOk() throws InterruptedException {
        Threads.inTurn(() -> count(0), () -> count(1));
    }

    public static void main(String[] args) throws InterruptedException {
        oneObjectForAllBad();
        oneObjectForEachOk();
        System.out.println("ThreadLocals " + ONE_FOR_ALL.count + " " + SEEN[0] + " " + SEEN[1]);
    }
}
