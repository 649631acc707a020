import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Vector;
import support.Threads;

/** Collections whose methods take a lock: their iterators do not, so the user has to. */
public class SynchronizedCollections {
    static final List<String> OPEN = Collections.synchronizedList(new ArrayList<>());
    static final List<String> LIST = Collections.synchronizedList(new LinkedList<>());
    static final Map<String, String> MAP = Collections.synchronizedMap(new HashMap<>());
    static final Vector<String> VECTOR = new Vector<>();
    static final Hashtable<String, String> TABLE = new Hashtable<>();
    static final StringBuffer BUFFER = new StringBuffer();
    static final int[] SEEN = new int[3];

    static void iteratedWithoutLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> OPEN.add("one"), //~ data-race
                () -> {
                    for (String element : OPEN) { //~ data-race
                        SEEN[0] += element.length();
                    }
                });
    }

    static void useAll(int index) {
        LIST.add("one");
        MAP.put("key", "one");
        VECTOR.add("one");
        TABLE.put("key", "one");
        BUFFER.append("one");
        synchronized (LIST) {
            for (String element : LIST) {
                SEEN[index] += element.length();
            }
        }
        SEEN[index] += MAP.size() + VECTOR.size() + TABLE.size() + BUFFER.length();
    }

    static void calledAndIteratedUnderTheLockOk() throws InterruptedException {
        Threads.inTurn(() -> useAll(1), () -> useAll(2));
    }

    public static void main(String[] args) throws InterruptedException {
        iteratedWithoutLockBad();
        calledAndIteratedUnderTheLockOk();
        System.out.println("SynchronizedCollections " + SEEN[0] + " " + SEEN[1] + " " + SEEN[2]);
    }
}
