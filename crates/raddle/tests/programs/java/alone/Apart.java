/**
 * Tells less than a frame of a trace holds, says so, and then ends, or waits until it is killed. Also says how many
 * processes it has started.
 */
public class Apart {
    static int racy;
    static Cell[][] kept = new Cell[2][500];

    static class Cell {
        int value;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            Cell[] own = kept[t];
            threads[t] = new Thread(() -> {
                racy++;
                for (int i = 0; i < own.length; i++) {
                    own[i] = new Cell();
                    own[i].value = i;
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("children: " + ProcessHandle.current().children().count());
        if (args.length > 0) Thread.sleep(Long.MAX_VALUE);
    }
}
