import support.Invisible;

/**
 * Section 4.3 of "Atomizer", protected locks: a table is only used under its owner's lock, and each of its synchronized methods
 * takes the table's own lock in addition, where nobody else can want it; so is a purse. Nothing is wrong with it; without the refinement
 * every method that calls the table twice is reported.
 */
public class ProtectedLocks {
    /** Synchronized, as library classes are, for those who need it. */
    static class Table {
        private final int[] keys = new int[32];
        private final int[] values = new int[32];
        private int size;

        public synchronized int find(int key) {
            for (int i = 0; i < size; i++) {
                if (keys[i] == key) {
                    return i;
                }
            }
            return -1;
        }

        public synchronized int get(int at) {
            return values[at];
        }

        public synchronized void set(int at, int value) {
            values[at] = value;
        }

        public synchronized void add(int key, int value) {
            keys[size] = key;
            values[size] = value;
            size++;
        }

        public synchronized int size() {
            return size;
        }
    }

    /** Owns a table and never lets it out. */
    static class Scores {
        private final Table table = new Table();

        public synchronized void score(int player, int points) {
            int at = table.find(player);
            if (at < 0) {
                table.add(player, points);
            } else {
                table.set(at, table.get(at) + points);
            }
        }

        public synchronized int total() {
            int total = 0;
            for (int i = 0; i < table.size(); i++) {
                total += table.get(i);
            }
            return total;
        }
    }

    /** A purse with a lock of its own. */
    static class Purse {
        private int coins;
        private int largest;

        public synchronized void drop(int coin) {
            coins += coin;
            largest = Math.max(largest, coin);
        }

        public synchronized int worth() {
            return coins;
        }

        public synchronized int largest() {
            return largest;
        }
    }

    /** Owns a purse and never lets it out. */
    static class Player {
        private final Purse purse = new Purse();
        private int wins;

        public synchronized void win(int coin) {
            wins++;
            purse.drop(coin);
            if (purse.worth() > 1000 * wins) {
                throw new IllegalStateException("too rich");
            }
        }

        public synchronized int rank() {
            return purse.worth() + purse.largest() + wins;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Scores scores = new Scores();
        Player player = new Player();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                for (int round = 1; round <= 4; round++) {
                    Invisible.meet(threads.length * round);
                    scores.score((number + round) % 3, round);
                    scores.total();
                    player.win(round);
                    player.rank();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("ProtectedLocks " + scores.total() + " " + player.rank());
    }
}
