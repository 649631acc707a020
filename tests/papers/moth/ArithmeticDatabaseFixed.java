/** {@link ArithmeticDatabase} with one atomic step for each operation. */
public class ArithmeticDatabaseFixed {
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
        synchronized void countOperation() {
            setOperations(getOperations() + 1);
        }

        @Atomic
        synchronized void raiseHighest(int result) {
            if (result > getHighest()) {
                setHighest(result);
            }
        }

        @Atomic
        synchronized int average() {
            return getChecksum() / Math.max(1, getResults());
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
            database.countOperation();
        }

        private void raise(int result) {
            database.raiseHighest(result);
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
            average = database.average();
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
