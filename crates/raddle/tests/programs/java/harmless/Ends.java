import java.util.concurrent.CountDownLatch;

/** Ends in one of many ways, with threads at work. */
public class Ends {
    static int counter;
    static final Object LOCK = new Object();

    private static void work(CountDownLatch begun) {
        for (int i = 0; ; i++) {
            synchronized (LOCK) {
                counter++;
            }
            if (i == 1000) begun.countDown();
        }
    }

    private static CountDownLatch workers(boolean daemon) {
        CountDownLatch begun = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            Thread worker = new Thread(() -> work(begun), "worker-" + i);
            worker.setDaemon(daemon);
            worker.start();
        }
        return begun;
    }

    private static int deep(int depth) {
        synchronized (LOCK) {
            counter++;
            return deep(depth + 1) + 1;
        }
    }

    private static synchronized int deepMethod(int depth) {
        counter++;
        return deepMethod(depth + 1) + 1;
    }

    private static boolean isHeld() {
        return Thread.holdsLock(LOCK) || Thread.holdsLock(Ends.class);
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "exit":
                Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
                workers(false).await();
                System.exit(3);
                break;
            case "exit-inside":
                // With a lock held, from another thread.
                workers(false).await();
                Thread quitter = new Thread(() -> {
                    synchronized (LOCK) {
                        System.exit(5);
                    }
                });
                quitter.start();
                quitter.join();
                break;
            case "halt":
                workers(false).await();
                Runtime.getRuntime().halt(4);
                break;
            case "daemon":
                workers(true).await();
                System.out.println("main ends");
                break;
            case "uncaught":
                workers(true).await();
                throw new IllegalStateException("on purpose");
            case "uncaught-elsewhere":
                Thread thrower = new Thread(() -> {
                    synchronized (LOCK) {
                        counter++;
                        throw new IllegalStateException("on purpose");
                    }
                }, "thrower");
                thrower.start();
                thrower.join();
                System.out.println("main goes on " + counter);
                break;
            case "handler":
                Thread.setDefaultUncaughtExceptionHandler((t, e) -> {
                    System.out.println(t.getName() + " " + e.getMessage());
                    System.exit(6);
                });
                throw new IllegalStateException("handled");
            case "deep":
                for (int i = 0; i < 5; i++) {
                    try {
                        deep(0);
                    } catch (StackOverflowError e) {
                        System.out.println("overflow " + isHeld());
                    }
                    try {
                        deepMethod(0);
                    } catch (StackOverflowError e) {
                        System.out.println("overflow " + isHeld());
                    }
                }
                Thread other = new Thread(() -> {
                    synchronized (LOCK) {
                        synchronized (Ends.class) {
                            System.out.println("free");
                        }
                    }
                });
                other.start();
                other.join();
                break;
            case "memory":
                try {
                    byte[][] all = new byte[1 << 20][];
                    for (int i = 0; i < all.length; i++) all[i] = new byte[1 << 20];
                } catch (OutOfMemoryError e) {
                    System.out.println("out of memory");
                }
                break;
            default:
                System.exit(99);
        }
    }
}
