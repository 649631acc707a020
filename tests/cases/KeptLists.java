import support.Invisible;
import support.Threads;

/** What a method puts into objects and arrays of its own is its own too, until somebody else gets hold of any part. */
public class KeptLists {
    static final Object LOCK = new Object();
    static int seen;

    static class Node {
        int value;
        Node next;
    }

    static class Filled {
        final Node inside = common;
        Node also = common;
    }

    static Node common = new Node();
    static Node head;

    /** A list is kept as long as nobody else gets hold of any part of it. */
    static void listThatIsGivenAwayBad() throws InterruptedException {
        Threads.run(
                () -> {
                    Node first = null;
                    for (int i = 0; i < 3; i++) {
                        Node node = new Node();
                        node.next = first;
                        first = node;
                    }
                    synchronized (LOCK) {
                        head = first.next;
                    }
                    Invisible.step(0);
                    for (Node node = first; node != null; node = node.next) {
                        node.value = 1; //~ data-race
                    }
                    Threads.pass();
                    Invisible.step(2);
                },
                () -> {
                    Node other;
                    Invisible.await(1);
                    synchronized (LOCK) {
                        other = head;
                    }
                    seen += other.next.value; //~ data-race
                    Threads.pass();
                    Invisible.step(1);
                });
    }

    /** What the constructor put there is not the method's own. */
    static void filledByItsConstructorBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    Filled mine = new Filled();
                    mine.also.next = null; //~ data-race
                    Threads.pass();
                },
                () -> {
                    Filled mine = new Filled();
                    mine.inside.next = null; //~ data-race
                    Threads.pass();
                });
    }

    static int list(int count) {
        Node first = null;
        Node[] all = new Node[count];
        for (int i = 0; i < count; i++) {
            Node node = new Node();
            node.value = i;
            node.next = first;
            all[i] = first = node;
        }
        int sum = 0;
        for (Node node = first; node != null; node = node.next) sum += node.value;
        for (int i = 0; i < count; i++) sum += all[i].value;
        return sum;
    }

    static void listsOk() throws InterruptedException {
        Threads.run(() -> list(10), () -> list(20));
    }

    public static void main(String[] args) throws InterruptedException {
        listThatIsGivenAwayBad();
        filledByItsConstructorBad();
        listsOk();
        System.out.println("KeptLists " + (seen >= 0));
    }
}
