import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A race that two threads reach on different ways. */
public class Stacked {
    static int count;

    static void add() {
        count++;
    }

    static void once() {
        add();
    }

    static void twice() {
        add();
        add();
    }

    static void startOne() {
        Thread one = new Thread(Stacked::once, "one");
        one.start();
    }

    public static void main(String[] args) throws InterruptedException {
        startOne();
        ExecutorService pool = Executors.newFixedThreadPool(1, body -> new Thread(body, "two"));
        pool.execute(Stacked::twice);
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }
}
