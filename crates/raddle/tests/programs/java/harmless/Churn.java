import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes garbage with several threads, and keeps some of it: for the collectors. */
public class Churn {
    static class Node {
        Node next;
        long value;
        final int[] data;

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
            data = new int[] {(int) value, (int) value + 1};
        }
    }

    static final Map<Integer, Node> kept = new HashMap<>();

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        long[] sums = new long[4];
        for (int t = 0; t < sums.length; t++) {
            int me = t;
            Thread thread = new Thread(() -> sums[me] = work(me));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        long sum = 0;
        for (long one : sums) sum += one;
        System.out.println(sum + " " + kept.size());
    }

    private static long work(int me) {
        long sum = 0;
        Node list = null;
        for (int i = 0; i < 15_000; i++) {
            list = new Node(i, i % 100 == 0 ? null : list);
            list.data[0]++;
            sum += list.data[0] + list.data[1] + (list.next == null ? 0 : list.next.value);
            if (i % 1000 == 0) {
                synchronized (kept) {
                    kept.put(me * 1_000_000 + i % 50_000, list);
                    sum += kept.get(me * 1_000_000 + i % 50_000).value;
                }
            }
            Object lock = new Object();
            synchronized (lock) {
                sum++;
            }
        }
        return sum;
    }
}
