/** Two threads count without a lock, and counts get lost: the program of the book's first chapter. */
public class Tally {
    private int count;

    void add() {
        for (int i = 0; i < 1000; i++) {
            count++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Tally tally = new Tally();
        Thread one = new Thread(tally::add, "adder-1");
        Thread two = new Thread(tally::add, "adder-2");
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println("counted to " + tally.count);
    }
}
