/**
 * The dining philosophers of von Praun and Gross: the table knows which forks are taken, and a philosopher waits until both
 * are free. Nothing is wrong with it.
 */
public class Philo {
    static final int SEATS = 3;

    static class Table {
        private final boolean[] taken = new boolean[SEATS];
        private int meals;

        synchronized void getForks(int seat) throws InterruptedException {
            int other = (seat + 1) % SEATS;
            while (taken[seat] || taken[other]) {
                wait();
            }
            taken[seat] = true;
            taken[other] = true;
        }

        synchronized void putForks(int seat) {
            taken[seat] = false;
            taken[(seat + 1) % SEATS] = false;
            meals++;
            notifyAll();
        }

        synchronized int meals() {
            return meals;
        }
    }

    static class Philosopher extends Thread {
        private final Table table;
        private final int seat;

        Philosopher(Table table, int seat) {
            this.table = table;
            this.seat = seat;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < 10; i++) {
                    table.getForks(seat);
                    Thread.yield();
                    table.putForks(seat);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Table table = new Table();
        Philosopher[] all = new Philosopher[SEATS];
        for (int i = 0; i < SEATS; i++) {
            all[i] = new Philosopher(table, i);
            all[i].start();
        }
        for (Philosopher philosopher : all) {
            philosopher.join();
        }
        System.out.println(table.meals());
    }
}
