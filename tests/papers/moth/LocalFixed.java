/** {@link Local} with one block around reading and writing back. */
public class LocalFixed {
    private final Object lock = new Object();
    private int x;

    int get() {
        synchronized (lock) {
            return x;
        }
    }

    void set(int value) {
        synchronized (lock) {
            x = value;
        }
    }

    void increase() {
        synchronized (lock) {
            int local = get();
            local++;
            set(local);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LocalFixed shared = new LocalFixed();
        Thread one = new Thread(shared::increase);
        Thread two = new Thread(shared::increase);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(shared.get() > 0);
    }
}
