/** Two threads that block each other for ever, each in its first region. */
public class Stuck {
    int racy;

    public static void main(String[] args) throws InterruptedException {
        Stuck stuck = new Stuck();
        Object one = new Object(), other = new Object();
        new Thread(() -> stuck.blocks(one, other)).start();
        new Thread(() -> stuck.blocks(other, one)).start();
        Thread.sleep(600);
        System.out.println("begun");
    }

    private void blocks(Object first, Object second) {
        synchronized (first) {
            racy++;
            try {
                Thread.sleep(300);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            synchronized (second) {
                racy++;
            }
        }
    }
}
