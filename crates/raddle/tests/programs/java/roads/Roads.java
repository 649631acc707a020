/** One race that everybody sees, one that only a run shows and one that this run never gets to. */
public class Roads {
    static int count;
    static int rare;
    static final int[] cells = new int[1];

    static void work(boolean rarely) {
        for (int i = 0; i < 1000; i++) {
            count++;
            cells[0]++;
        }
        if (rarely) {
            rare++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        boolean rarely = args.length > 0;
        Thread one = new Thread(() -> work(rarely));
        Thread two = new Thread(() -> work(rarely));
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(count + cells[0] > 0);
    }
}
