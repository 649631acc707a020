import java.util.concurrent.ConcurrentHashMap;
import support.Threads;

/** compute() runs its function for one thread at a time: what it changes in the value is safe, but only in there. */
public class ConcurrentHashMapCompute {
    static class OpenTally {
        int count;
    }

    static class Tally {
        int count;
    }

    static final ConcurrentHashMap<String, OpenTally> OPEN = new ConcurrentHashMap<>();
    static final ConcurrentHashMap<String, Tally> TALLIES = new ConcurrentHashMap<>();

    static void changedOutsideBad() throws InterruptedException {
        OPEN.put("key", new OpenTally());
        Threads.inTurn(
                () -> OPEN.get("key").count++, //~ data-race
                () -> OPEN.get("key").count++); //~ data-race
    }

    static void increase() {
        TALLIES.compute("key", (key, tally) -> {
            tally.count++;
            return tally;
        });
    }

    static int changedInsideOk() throws InterruptedException {
        TALLIES.put("key", new Tally());
        Threads.inTurn(ConcurrentHashMapCompute::increase, ConcurrentHashMapCompute::increase);
        return TALLIES.get("key").count;
    }

    public static void main(String[] args) throws InterruptedException {
        changedOutsideBad();
        System.out.println("ConcurrentHashMapCompute " + changedInsideOk());
    }
}
