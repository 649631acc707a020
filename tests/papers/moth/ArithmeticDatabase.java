/**
 * A small database of numbers and of results of operations on them, as Teixeira and others describe it: every access to a
 * table is atomic. Three operations take two steps: one counts up, one checks before it stores, one puts together what
 * two tables say.
 */
public class ArithmeticDatabase {
    @interface Atomic {
    }

    static final int SIZE = 16;

    static class Database {
        private int operations;
        private int highest;
        private int results;
        private int checksum;
        private boolean full;

        @Atomic
        synchronized int getOperations() {
            return operations;
        }

        @Atomic
        synchronized void setOperations(int value) {
            operations = value;
        }

        @Atomic
        synchronized int getHighest() {
            return highest;
        }

        @Atomic
        synchronized void setHighest(int value) {
            highest = value;
        }

        @Atomic
        synchronized void store(int result) {
            results = results + 1;
            checksum = checksum + result;
        }

        @Atomic
        synchronized int getResults() {
            return results;
        }

        @Atomic
        synchronized int getChecksum() {
            return checksum;
        }

        @Atomic
        synchronized boolean isFull() {
            return full;
        }

        @Atomic
        synchronized void closeAt(int limit) {
            if (results >= limit) {
                full = true;
            }
        }
    }

    static class Worker extends Thread {
        private final Database database;
        private final int first;

        Worker(Database database, int first) {
            this.database = database;
            this.first = first;
        }

        @Override
        public void run() {
            for (int i = first; i < first + SIZE; i++) {
                int result = i * i;
                count();
                raise(result);
                database.store(result);
                database.closeAt(SIZE);
            }
        }

        private void count() {
            int done = database.getOperations();
            database.setOperations(done + 1); //~ stale-value
        }

        private void raise(int result) {
            if (result > database.getHighest()) {
                database.setHighest(result); //~ stale-value
            }
        }
    }

    static class Auditor extends Thread {
        private final Database database;
        private int average;

        Auditor(Database database) {
            this.database = database;
        }

        @Override
        public void run() {
            int rounds = 0;
            while (!database.isFull() && rounds < 1000) {
                rounds++;
            }
            int count = database.getResults();
            int sum = database.getChecksum(); //~ high-level-race
            average = sum / Math.max(1, count);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Database database = new Database();
        Worker one = new Worker(database, 0);
        Worker two = new Worker(database, SIZE);
        Auditor auditor = new Auditor(database);
        one.start();
        two.start();
        auditor.start();
        one.join();
        two.join();
        auditor.join();
        System.out.println(auditor.average >= 0);
    }
}
