/**
 * Figure 8 of "Racer": a condition checker whose constructor sets its fields and then starts the two threads that use them. In
 * Java `start` hands over what was written before it, so only the paper takes these for races.
 */
public class ExecConditionChecker {
    /** What the checker watches. */
    static class Database {
        private int changes;

        synchronized void change() {
            changes++;
            notifyAll();
        }

        synchronized int waitForChange(int seen) throws InterruptedException {
            while (changes <= seen) {
                wait();
            }
            return changes;
        }
    }

    /** Whom the checker wakes. */
    static class Executive {
        private int wakeups;

        synchronized void wakeUp() {
            wakeups++;
            notifyAll();
        }

        synchronized void waitForWakeups(int wanted) throws InterruptedException {
            while (wakeups < wanted) {
                wait();
            }
        }

        synchronized int wakeups() {
            return wakeups;
        }
    }

    /** Why the executive is woken. */
    static class Wakeup {
        final int change;

        Wakeup(int change) {
            this.change = change;
        }
    }

    static final int CHANGES = 4;

    private boolean conditionSetChanged;
    private boolean checkerDBChanged;
    private Wakeup savedWakeupStruct;
    private Database db;
    private Executive exec;
    private final Thread checkerThread;
    private final Thread dbThread;

    void initConditionChecker() {
        conditionSetChanged = false; //~ paper data-race
        checkerDBChanged = false; //~ paper data-race
        savedWakeupStruct = null; //~ paper data-race
    }

    ExecConditionChecker(Database xdb, Executive xexec) {
        checkerThread = new Thread(this::checkConditions, "checker");
        dbThread = new Thread(this::monitorDatabase, "db-monitor");
        db = xdb; //~ paper data-race
        exec = xexec; //~ paper data-race
        initConditionChecker();
        checkerThread.start();
        dbThread.start();
    }

    private void checkConditions() {
        try {
            for (int done = 0; done < CHANGES; done++) {
                synchronized (this) {
                    while (!conditionSetChanged && !checkerDBChanged) {
                        wait();
                    }
                    conditionSetChanged = false;
                    checkerDBChanged = false;
                    savedWakeupStruct = null;
                    notifyAll();
                }
                exec.wakeUp();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void monitorDatabase() {
        try {
            int seen = 0;
            for (int i = 0; i < CHANGES; i++) {
                db.waitForChange(seen);
                seen++;
                synchronized (this) {
                    while (checkerDBChanged) {
                        wait();
                    }
                    checkerDBChanged = true;
                    savedWakeupStruct = new Wakeup(seen);
                    notifyAll();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void waitForThreads() throws InterruptedException {
        checkerThread.join();
        dbThread.join();
    }

    public static void main(String[] args) throws InterruptedException {
        Database database = new Database();
        Executive executive = new Executive();
        ExecConditionChecker checker = new ExecConditionChecker(database, executive);
        for (int i = 0; i < CHANGES; i++) {
            database.change();
        }
        executive.waitForWakeups(CHANGES);
        checker.waitForThreads();
        System.out.println("ExecConditionChecker " + executive.wakeups());
    }
}
