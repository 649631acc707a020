import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import support.Threads;

/** A concurrent map hands over what was written before put(); two calls one after the other are no data race. */
public class ConcurrentHashMaps {
    static class LateBox {
        int value;
    }

    static class Box {
        int value;
    }

    static final Map<String, LateBox> LATE = new ConcurrentHashMap<>();
    static final ConcurrentHashMap<String, Box> MAP = new ConcurrentHashMap<>();
    static final ConcurrentHashMap<String, Integer> COUNTS = new ConcurrentHashMap<>();
    static final int[] SEEN = new int[2];

    static void writtenAfterPutBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LateBox box = new LateBox();
                    LATE.put("key", box);
                    box.value = 1; //~ data-race
                },
                () -> SEEN[0] = LATE.get("key").value); //~ data-race
    }

    static void writtenBeforePutOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    Box box = new Box();
                    box.value = 2;
                    MAP.put("key", box);
                },
                () -> SEEN[1] = MAP.get("key").value);
    }

    static void checkThenAct() {
        if (!COUNTS.containsKey("seen")) {
            COUNTS.put("seen", 1);
        }
        COUNTS.merge("count", 1, Integer::sum);
    }

    static void checkThenActOk() throws InterruptedException {
        Threads.inTurn(ConcurrentHashMaps::checkThenAct, ConcurrentHashMaps::checkThenAct);
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterPutBad();
        writtenBeforePutOk();
        checkThenActOk();
        System.out.println("ConcurrentHashMaps " + SEEN[0] + " " + SEEN[1] + " " + COUNTS.get("count"));
    }
}
