import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import support.Threads;

/** The other concurrent collections hand over as well, and iterate without a lock. */
public class ConcurrentCollections {
    static class LateBox {
        int value;
    }

    static class Box {
        int value;
    }

    static final Queue<LateBox> LATE = new ConcurrentLinkedQueue<>();
    static final Queue<Box> QUEUE = new ConcurrentLinkedQueue<>();
    static final ConcurrentLinkedDeque<Box> DEQUE = new ConcurrentLinkedDeque<>();
    static final List<Box> LIST = new CopyOnWriteArrayList<>();
    static final Map<String, Box> SORTED = new ConcurrentSkipListMap<>();
    static final Set<String> NAMES = new ConcurrentSkipListSet<>();
    static final int[] SEEN = new int[6];
    static int named;

    static void writtenAfterAddBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LateBox box = new LateBox();
                    LATE.add(box);
                    box.value = 1; //~ data-race
                },
                () -> SEEN[0] = LATE.poll().value); //~ data-race
    }

    static Box box(int value) {
        Box box = new Box();
        box.value = value;
        return box;
    }

    static void writtenBeforeAddOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    QUEUE.add(box(1));
                    DEQUE.addFirst(box(2));
                    LIST.add(box(3));
                    SORTED.put("key", box(4));
                    named = 5;
                    NAMES.add("name");
                },
                () -> {
                    SEEN[1] = QUEUE.poll().value;
                    SEEN[2] = DEQUE.pollLast().value;
                    for (Box box : LIST) {
                        SEEN[3] += box.value;
                    }
                    SEEN[4] = SORTED.get("key").value;
                    SEEN[5] = NAMES.contains("name") ? named : 0;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterAddBad();
        writtenBeforeAddOk();
        int sum = 0;
        for (int seen : SEEN) {
            sum = sum * 10 + seen;
        }
        System.out.println("ConcurrentCollections " + sum);
    }
}
