/** Four threads, each so many times: read a counter under its lock, and write what it should be now in another block. */
public class StaleCounter {
    static final class Counter {
        private long value;

        synchronized long get() {
            return value;
        }

        synchronized void set(long to) {
            value = to;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 4_000_000;
        Counter counter = new Counter();
        long start = System.nanoTime();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int time = 0; time < times; time++) {
                    long value = counter.get();
                    counter.set(value + 1);
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long took = (System.nanoTime() - start) / 1_000_000;
        System.out.println("RESULT StaleCounter ms=" + took + " sane=" + (counter.get() <= 4L * times));
    }
}
