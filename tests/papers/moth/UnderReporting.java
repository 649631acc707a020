/**
 * One variable that is read in one block and written in another: no two variables, so no view tells (von Praun and Gross's
 * example of what view consistency misses).
 */
public class UnderReporting {
    private int hits;

    synchronized int get() {
        return hits;
    }

    synchronized void set(int value) {
        hits = value;
    }

    void hit() {
        set(get() + 1); //~ stale-value
    }

    public static void main(String[] args) throws InterruptedException {
        UnderReporting shared = new UnderReporting();
        Thread one = new Thread(() -> shared.hit());
        Thread two = new Thread(() -> shared.hit());
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(shared.get() > 0);
    }
}
