import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import support.Threads;

/** An iterator, a sub-list and a key set are views: using them is using their collection. */
public class CollectionIteration {
    static final List<Integer> LIST = new ArrayList<>(List.of(1, 2, 3));
    static final TreeMap<Integer, Integer> MAP = new TreeMap<>(Map.of(1, 1));
    static final List<Integer> GUARDED = new LinkedList<>(List.of(1, 2, 3));
    static final int[] SEEN = new int[3];

    static void iteratedWhileChangedBad() throws InterruptedException {
        Iterator<Integer> iterator = LIST.iterator();
        Threads.inTurn(
                () -> SEEN[0] = iterator.next(), //~ data-race
                () -> LIST.set(1, 7)); //~ data-race
    }

    static void viewChangedBad() throws InterruptedException {
        Threads.inTurn(
                () -> MAP.keySet().remove(1), //~ data-race
                () -> SEEN[1] = MAP.size()); //~ data-race
    }

    static void underTheLockOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (GUARDED) {
                        GUARDED.subList(0, 2).clear();
                    }
                },
                () -> {
                    synchronized (GUARDED) {
                        for (int element : GUARDED) {
                            SEEN[2] += element;
                        }
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        iteratedWhileChangedBad();
        viewChangedBad();
        underTheLockOk();
        System.out.println("CollectionIteration " + SEEN[0] + " " + SEEN[1] + " " + SEEN[2]);
    }
}
