/** One thread makes objects, another takes them; each is used by both, under a lock, and forgotten. */
public class Churn {
    static class Box {
        int value;
        Box next;
    }

    static final Object LOCK = new Object();
    static Box head;
    static int size;

    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        Thread taker = new Thread(() -> {
            for (int got = 0; got < count; ) {
                synchronized (LOCK) {
                    for (; head != null; head = head.next, size--, got++) {
                        head.value++;
                    }
                }
                Thread.yield();
            }
        });
        taker.start();
        for (int made = 0; made < count; ) {
            synchronized (LOCK) {
                for (; made < count && size < 1000; size++, made++) {
                    Box box = new Box();
                    box.value = made;
                    box.next = head;
                    head = box;
                }
            }
            Thread.yield();
        }
        taker.join();
        System.out.println("done");
    }
}
