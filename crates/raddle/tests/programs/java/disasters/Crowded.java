import java.util.concurrent.CountDownLatch;

/** So many threads, all alive at once, each of which tells more than its first page holds. */
public class Crowded {
    static int racy;

    public static void main(String[] args) throws InterruptedException {
        int count = Integer.parseInt(args[0]);
        CountDownLatch all = new CountDownLatch(count);
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            threads[t] = new Thread(() -> {
                int[] own = new int[3000];
                for (int i = 0; i < own.length; i++) own[(i * 1009) % own.length]++;
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
