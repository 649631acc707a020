/** {@link UnderReporting} with one block for both. */
public class UnderReportingFixed {
    private int hits;

    synchronized int get() {
        return hits;
    }

    synchronized void set(int value) {
        hits = value;
    }

    synchronized void hit() {
        set(get() + 1);
    }

    public static void main(String[] args) throws InterruptedException {
        UnderReportingFixed shared = new UnderReportingFixed();
        Thread one = new Thread(() -> shared.hit());
        Thread two = new Thread(() -> shared.hit());
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(shared.get() > 0);
    }
}
