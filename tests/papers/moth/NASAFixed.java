/** {@link NASA} with a task that holds the table until the property has been achieved. */
public class NASAFixed {
    static class Cell {
        int value;
        boolean achieved;
    }

    static class Table {
        private final Cell cell = new Cell();
    }

    static class Spacecraft {
        /** What the sensors say; no lock of the program's keeps it as it is. */
        private volatile int state;
    }

    static class Task extends Thread {
        private final Table table;
        private final Spacecraft craft;

        Task(Table table, Spacecraft craft) {
            this.table = table;
            this.craft = craft;
        }

        @Override
        public void run() {
            int wanted = 7;
            synchronized (table) {
                table.cell.value = wanted;
                craft.state = wanted;
                table.cell.achieved = true;
            }
        }
    }

    static class Daemon extends Thread {
        private final Table table;
        private final Spacecraft craft;
        private int warnings;

        Daemon(Table table, Spacecraft craft) {
            this.table = table;
            this.craft = craft;
        }

        @Override
        public void run() {
            for (int round = 0; round < 50; round++) {
                synchronized (table) {
                    if (table.cell.achieved && craft.state != table.cell.value) {
                        issueWarning();
                    }
                }
            }
        }

        private void issueWarning() {
            warnings++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Table table = new Table();
        Spacecraft craft = new Spacecraft();
        Task task = new Task(table, craft);
        Daemon daemon = new Daemon(table, craft);
        task.start();
        daemon.start();
        task.join();
        daemon.join();
        System.out.println(daemon.warnings >= 0);
    }
}
