/** Two threads that block each other for ever, each in its first region. */
public class Stuck {
    int racy;

    /** Left alone by whoever watches, so that it orders nothing: each thread waits until the other has its first lock. */
    static class Meeting {
        static volatile boolean first, second;

        static void here(boolean isFirst) {
            if (isFirst) first = true;
            else second = true;
            while (!first || !second) Thread.onSpinWait();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Stuck stuck = new Stuck();
        Object one = new Object(), other = new Object();
        Thread first = new Thread(() -> stuck.blocks(one, other, true));
        Thread second = new Thread(() -> stuck.blocks(other, one, false));
        first.start();
        second.start();
        while (first.getState() != Thread.State.BLOCKED || second.getState() != Thread.State.BLOCKED) {
            Thread.sleep(1);
        }
        System.out.println("begun");
    }

    private void blocks(Object one, Object other, boolean isFirst) {
        synchronized (one) {
            racy++;
            Meeting.here(isFirst);
            synchronized (other) {
                racy++;
            }
        }
    }
}
