/** Small arrays by the hundred thousand: each is made and written by one thread, handed over, and read by another. */
public class HandedOver {
    static final Object lock = new Object();
    static int[][] batch;

    public static void main(String[] args) throws InterruptedException {
        int rounds = Integer.parseInt(args[0]);
        Thread reader = new Thread(() -> {
            long sum = 0;
            for (int round = 0; round < rounds; round++) {
                for (int[] one : take()) {
                    sum += one[0];
                }
            }
            System.out.println("sum " + sum);
        });
        reader.start();
        for (int round = 0; round < rounds; round++) {
            int[][] some = new int[1000][];
            for (int i = 0; i < some.length; i++) {
                int[] one = {0};
                one[0]++;
                some[i] = one;
            }
            give(some);
        }
        reader.join();
    }

    static int[][] take() {
        synchronized (lock) {
            try {
                while (batch == null) {
                    lock.wait();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            int[][] taken = batch;
            batch = null;
            lock.notifyAll();
            return taken;
        }
    }

    static void give(int[][] some) throws InterruptedException {
        synchronized (lock) {
            while (batch != null) {
                lock.wait();
            }
            batch = some;
            lock.notifyAll();
        }
    }
}
