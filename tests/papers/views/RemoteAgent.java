import support.Invisible;

/**
 * Figures 1 and 2 of "High-level data races": the executive of the Remote Agent. A task locks a property in the lock table,
 * achieves it, and then says so in a second block. The daemon wakes up at every event and compares lock table and system
 * state in one block: between the task's two blocks it finds nothing to complain about, although the property is gone.
 */
public class RemoteAgent {
    static final int COMPONENTS = 3;
    static final int ROUNDS = 3;
    static final int OFF = 0;
    static final int ON = 1;

    static class Entry {
        private int value;
        private boolean achieved;
    }

    /** What the sensors say about the components. */
    static class SystemState {
        private final int[] readings = new int[COMPONENTS];

        synchronized void sense(int component, int reading) {
            readings[component] = reading;
        }

        synchronized int reading(int component) {
            return readings[component];
        }
    }

    static class LockTable {
        private final Entry[] entries = new Entry[COMPONENTS];
        private int warnings;

        LockTable() {
            for (int i = 0; i < COMPONENTS; i++) {
                entries[i] = new Entry();
            }
        }

        void lock(int component, int value) {
            synchronized (this) {
                entries[component].value = value;
            }
        }

        void achieve(int component) {
            synchronized (this) {
                entries[component].achieved = true;
            }
        }

        void release(int component) {
            synchronized (this) {
                entries[component].value = OFF;
                entries[component].achieved = false;
            }
        }

        /** Whether what was achieved still holds. */
        void compare(int component, int reading) {
            synchronized (this) {
                Entry entry = entries[component];
                if (entry.achieved && reading != entry.value) {
                    warnings++;
                }
            }
        }

        int warnings() {
            synchronized (this) {
                return warnings;
            }
        }
    }

    /** Something has changed, and somebody wants to know. */
    static class Events {
        private int count;

        synchronized void happen() {
            count++;
            notifyAll();
        }

        synchronized int waitFor(int seen) throws InterruptedException {
            while (count <= seen) {
                wait();
            }
            return count;
        }
    }

    static class Task implements Runnable {
        private final LockTable table;
        private final SystemState state;
        private final Events events;
        private final int component;

        Task(LockTable table, SystemState state, Events events, int component) {
            this.table = table;
            this.state = state;
            this.events = events;
            this.component = component;
        }

        private void execute() {
            table.lock(component, ON);
            events.happen();
            state.sense(component, ON);
            table.achieve(component); //~ high-level-race
            events.happen();
        }

        @Override
        public void run() {
            for (int round = 1; round <= ROUNDS; round++) {
                Invisible.meet((COMPONENTS + 1) * round);
                execute();
                table.release(component);
            }
        }
    }

    static class Daemon implements Runnable {
        private final LockTable table;
        private final SystemState state;
        private final Events events;

        Daemon(LockTable table, SystemState state, Events events) {
            this.table = table;
            this.state = state;
            this.events = events;
        }

        @Override
        public void run() {
            int seen = 0;
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    Invisible.meet((COMPONENTS + 1) * round);
                    seen = events.waitFor(seen);
                    for (int component = 0; component < COMPONENTS; component++) {
                        table.compare(component, state.reading(component));
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        LockTable table = new LockTable();
        SystemState state = new SystemState();
        Events events = new Events();
        Thread[] threads = new Thread[COMPONENTS + 1];
        for (int i = 0; i < COMPONENTS; i++) {
            threads[i] = new Thread(new Task(table, state, events, i), "task-" + i);
        }
        threads[COMPONENTS] = new Thread(new Daemon(table, state, events), "daemon");
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("RemoteAgent " + (table.warnings() >= 0));
    }
}
