import java.util.Enumeration;
import java.util.Hashtable;
import java.util.Vector;
import support.Invisible;

/** The club of Iteration; a loop over the members holds the lock of what it goes through. */
public class IterationFixed {
    private final Vector<String> names = new Vector<>();
    private final Hashtable<String, Integer> scores = new Hashtable<>();
    private int copies;

    public void enter(String name, int score) {
        names.addElement(name);
        scores.put(name, score);
    }

    public void leave(String name) {
        names.removeElement(name);
        scores.remove(name);
    }

    public synchronized String list() {
        StringBuilder list = new StringBuilder();
        copies++;
        synchronized (names) {
            for (int i = 0; i < names.size(); i++) {
                list.append(names.elementAt(i)).append(' ');
            }
        }
        return list.toString();
    }

    public synchronized int total() {
        int total = 0;
        copies++;
        synchronized (scores) {
            Enumeration<String> keys = scores.keys();
            while (keys.hasMoreElements()) {
                Integer score = scores.get(keys.nextElement());
                total += score == null ? 0 : score;
            }
        }
        return total;
    }

    public static void main(String[] args) throws InterruptedException {
        IterationFixed club = new IterationFixed();
        int[] seen = new int[1];
        Thread secretary = new Thread(() -> {
            for (int i = 0; i < 4; i++) {
                Invisible.await(2 * i);
                club.enter("member " + i, i);
                if (i > 1) {
                    club.leave("member " + (i - 2));
                }
                Invisible.step(2 * i);
            }
        });
        Thread reader = new Thread(() -> {
            for (int i = 0; i < 4; i++) {
                Invisible.await(2 * i + 1);
                seen[0] += club.list().length() + club.total();
                Invisible.step(2 * i + 1);
            }
        });
        secretary.start();
        reader.start();
        secretary.join();
        reader.join();
        System.out.println("IterationFixed " + seen[0]);
    }
}
