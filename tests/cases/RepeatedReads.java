import java.util.HashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import support.Invisible;
import support.Threads;

/** What is read over and over tells nothing new, until somebody else writes it. */
public class RepeatedReads {
    static final AtomicBoolean READY = new AtomicBoolean();
    static final AtomicReference<String> TOO_EARLY = new AtomicReference<>();
    static final HashMap<String, Integer> MAP = new HashMap<>();
    static final HashMap<Integer, int[]> GUARDED = new HashMap<>();
    static int handedOver;
    static int late;
    static int seen;

    static void askedUntilReadyOk() throws InterruptedException {
        Threads.run(
                () -> {
                    for (int i = 0; i < 5; i++) if (READY.get()) seen++;
                    Invisible.step(0);
                    Invisible.await(2);
                    for (int i = 0; i < 5; i++) if (READY.get()) seen += handedOver;
                },
                () -> {
                    Invisible.await(1);
                    handedOver = 1;
                    READY.set(true);
                    Invisible.step(1);
                });
    }

    static void writtenTooLateBad() throws InterruptedException {
        Threads.run(
                () -> {
                    for (int i = 0; i < 5; i++) if (TOO_EARLY.get() != null) seen++;
                    Invisible.step(0);
                    Invisible.await(2);
                    for (int i = 0; i < 5; i++) if (TOO_EARLY.get() != null) seen += late; //~ data-race
                },
                () -> {
                    Invisible.await(1);
                    TOO_EARLY.set("ready");
                    late = 1; //~ data-race
                    Invisible.step(1);
                });
    }

    static void lookedUpOftenBad() throws InterruptedException {
        Threads.run(
                () -> {
                    for (int i = 0; i < 5; i++) if (MAP.containsKey("one")) seen++; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    Invisible.await(1);
                    MAP.put("one", 1); //~ data-race
                });
    }

    static synchronized void lookUp() {
        for (int i = 0; i < 5; i++) if (GUARDED.containsKey(i)) seen++;
    }

    static synchronized void put() {
        for (int i = 0; i < 5; i++) GUARDED.put(i, new int[1]);
    }

    static void lookedUpOftenOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    lookUp();
                    put();
                },
                () -> {
                    lookUp();
                    put();
                    lookUp();
                });
    }

    public static void main(String[] args) throws InterruptedException {
        askedUntilReadyOk();
        writtenTooLateBad();
        lookedUpOftenBad();
        lookedUpOftenOk();
        System.out.println(seen + " " + MAP.size() + GUARDED.size());
    }
}
