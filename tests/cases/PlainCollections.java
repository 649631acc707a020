import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import support.Threads;

/** Collections that take no lock, shared by two threads: the place of the race is the call. */
public class PlainCollections {
    static final Map<String, Integer> MAP = new HashMap<>();
    static final List<String> LIST = new ArrayList<>();
    static final ArrayDeque<String> DEQUE = new ArrayDeque<>();
    static final TreeSet<String> SET = new TreeSet<>();
    static final StringBuilder BUILDER = new StringBuilder();
    static final LinkedList<String> GUARDED_LIST = new LinkedList<>();
    static final LinkedHashMap<String, Integer> GUARDED_MAP = new LinkedHashMap<>();
    static final int[] SEEN = new int[5];

    static void withoutLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    MAP.put("one", 1); //~ data-race
                    LIST.add("one"); //~ data-race
                    DEQUE.addLast("one"); //~ data-race
                    SET.add("one"); //~ data-race
                    BUILDER.append("one"); //~ data-race
                },
                () -> {
                    SEEN[0] = MAP.get("one"); //~ data-race
                    SEEN[1] = LIST.size(); //~ data-race
                    SEEN[2] = DEQUE.pollFirst().length(); //~ data-race
                    SEEN[3] = SET.contains("one") ? 1 : 0; //~ data-race
                    SEEN[4] = BUILDER.length(); //~ data-race
                });
    }

    static void use() {
        synchronized (GUARDED_LIST) {
            GUARDED_LIST.add("one");
            GUARDED_MAP.put("size", GUARDED_LIST.size());
        }
    }

    static void underOneLockOk() throws InterruptedException {
        Threads.inTurn(PlainCollections::use, PlainCollections::use);
    }

    public static void main(String[] args) throws InterruptedException {
        withoutLockBad();
        underOneLockOk();
        int sum = 0;
        for (int seen : SEEN) {
            sum = sum * 10 + seen;
        }
        System.out.println("PlainCollections " + sum + " " + GUARDED_MAP);
    }
}
