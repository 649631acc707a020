import java.util.concurrent.CountDownLatch;

/** So many threads, all alive at once, each of which tells more than its first page holds. */
public class Crowded {
    static int racy;
    static Object[] kept;

    static class Cell {
        int value;
    }

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        kept = new Object[count];
        CountDownLatch all = new CountDownLatch(count);
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            int me = t;
            threads[t] = new Thread(() -> {
                // Where others could find them, so that they are watched.
                Cell[] own = new Cell[800];
                kept[me] = own;
                for (int i = 0; i < own.length; i++) {
                    own[i] = new Cell();
                    own[i].value++;
                }
                racy++;
                all.countDown();
                try {
                    all.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("done");
    }
}
