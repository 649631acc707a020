import java.util.concurrent.CountDownLatch;

/** Works for so many rounds, racing all the time; prints a line when all threads have raced, and one at the end. */
public class Works {
    static int racy;
    static int[] cells = new int[4096];
    static final Object lock = new Object();
    static int guarded;

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        CountDownLatch begun = new CountDownLatch(3);
        Thread[] threads = new Thread[3];
        for (int t = 0; t < threads.length; t++) {
            int me = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    racy++;
                    if (i == 100) begun.countDown();
                    synchronized (lock) {
                        guarded++;
                        cells[(i * 31 + me) & 4095]++;
                    }
                }
            });
            threads[t].start();
        }
        begun.await();
        System.out.println("begun");
        System.out.flush();
        for (Thread thread : threads) thread.join();
        System.out.println("done " + guarded);
        System.exit(args.length > 1 ? 7 : 0);
    }
}
