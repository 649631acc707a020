import java.util.ArrayList;
import java.util.List;
import support.Invisible;

/**
 * The executive of a planetary rover, in the manner of section 5 of "Racer": the main program starts the thread that interprets a
 * plan, the thread that lets the vehicle act, and a condition checker of two threads, one of which watches the database
 * while the other decides which changes the executive has to hear of.
 *
 * Three classes of races, as in the paper: the status of the action execution, which was planted there; two counters of the
 * main program, which were added for an experiment and forgotten; and fields that constructors set without a lock, which
 * are races for the paper alone, since `start` hands them over. Two of those are final, and the paper itself calls them
 * false alarms.
 *
 * And the high-level race of "High-level data races": the executive resets six fields in one block, which the checker asks
 * for in three. The rover's developers called that an optimisation; here a step may be woken up that has only just begun.
 *
 * What they depend on is forced without the trace knowing of it: two threads count before they have waited for anything,
 * the first change comes before the first step, and the first action is taken without waiting and ends when it was asked for.
 */
public class Rover {
    /** Synchronisations, all of them and those that an analysis could not leave out. */
    static int syncNum;
    static int syncNumOpt;

    static void synchronise(boolean needed) {
        syncNum++; //~ data-race
        if (needed) {
            syncNumOpt++; //~ data-race
        }
    }

    static final int IDLE = 0;
    static final int BUSY = 1;
    static final int DONE = 2;

    /** What the rover can do. */
    static class Action {
        private final String name;
        private int component;
        private int effect;

        Action(String name, int component, int effect) {
            this.name = name; //~ paper data-race
            this.component = component; //~ paper data-race
            this.effect = effect; //~ paper data-race
        }

        String name() {
            return name;
        }
    }

    /** A leaf of a plan. */
    static class Task {
        private final int id;
        private Action action;
        private Condition condition;
        private boolean succeeded;

        Task(int id, Action action, Condition condition) {
            this.id = id; //~ paper data-race
            this.action = action; //~ paper data-race
            this.condition = condition; //~ paper data-race
        }
    }

    /** What has to hold of a component before a task begins. */
    static class Condition {
        private int component;
        private int least;

        Condition(int component, int least) {
            this.component = component; //~ paper data-race
            this.least = least; //~ paper data-race
        }

        boolean holds(Database db) {
            return db.value(component) >= least;
        }
    }

    /** A sequence of tasks. */
    static class Plan {
        private List<Task> tasks;
        private int next;

        Plan() {
            tasks = new ArrayList<>(); //~ paper data-race
        }

        void add(Task task) {
            tasks.add(task);
        }

        Task next() {
            return next < tasks.size() ? tasks.get(next++) : null;
        }

        int length() {
            return tasks.size();
        }
    }

    /** The state of the vehicle's components. */
    static class Database {
        private int[] values;
        private int changes;
        private boolean closed;

        Database(int components) {
            values = new int[components]; //~ paper data-race
        }

        synchronized int value(int component) {
            return values[component];
        }

        void update(int component, int value) {
            synchronise(true);
            synchronized (this) {
                values[component] = value;
                changes++;
                notifyAll();
            }
        }

        /** Waits for changes after those already seen; -1 if there will be none. */
        synchronized int waitForChange(int seen) throws InterruptedException {
            while (changes == seen && !closed) {
                wait();
            }
            return changes == seen ? -1 : changes;
        }

        synchronized void close() {
            closed = true;
            notifyAll();
        }
    }

    /** Lets the vehicle act. */
    static class ActionExecution extends Thread {
        private Database db;
        private Action pending;
        private boolean stopped;
        private int status;
        private int performed;
        private int said;

        ActionExecution(Database db) {
            super("action-execution");
            this.db = db; //~ paper data-race
        }

        /** Called by the executive. */
        synchronized void command(Action action) {
            pending = action;
            notifyAll();
        }

        boolean isIdle() {
            return status() == IDLE;
        }

        boolean hasFinished() {
            return status() == DONE;
        }

        private int status() {
            return status; //~ data-race
        }

        private synchronized Action take() throws InterruptedException {
            while (pending == null && !stopped) {
                wait();
            }
            Action action = pending;
            pending = null;
            return action;
        }

        synchronized void shutDown() {
            stopped = true;
            notifyAll();
        }

        private void perform(Action action) {
            setStatus(BUSY);
            db.update(action.component, action.effect);
            if (performed == 0) {
                Invisible.await(3);
            }
            count(action);
            setStatus(DONE);
        }

        private synchronized void count(Action action) {
            performed++;
            said += action.name().length();
        }

        private void setStatus(int now) {
            status = now; //~ data-race
        }

        @Override
        public void run() {
            synchronise(true);
            Invisible.meet(2);
            db.update(0, 0);
            Invisible.await(2);
            try {
                Action action = take();
                while (action != null) {
                    synchronise(true);
                    perform(action);
                    action = take();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Interprets the plan. */
    static class RuntimeExecutive extends Thread {
        private Plan plan;
        private ActionExecution execution;
        private ExecCondChecker checker;
        private Database db;
        private int polls;
        private int steps;
        private int lastId;
        // What belongs to the step that is executed now.
        private Task current;
        private boolean started;
        private boolean woken;
        private int wakeups;
        private int lastChange;
        private boolean ended;

        RuntimeExecutive(Plan plan, ActionExecution execution, Database db) {
            super("executive");
            this.plan = plan; //~ paper data-race
            this.execution = execution; //~ paper data-race
            this.db = db; //~ paper data-race
        }

        void setChecker(ExecCondChecker added) {
            checker = added; //~ paper data-race
        }

        /** All at once, so that the lock is taken only once a step. */
        private synchronized void reset(Task task) {
            current = task;
            started = false;
            woken = false;
            wakeups = 0;
            lastChange = 0;
            ended = task == null;
        }

        /** Called by the checker. */
        synchronized void wakeUp(int change) {
            lastChange = change;
            woken = true;
            wakeups++;
            notifyAll();
        }

        synchronized boolean wantsToHear() {
            return !ended;
        }

        synchronized boolean isRunning() {
            boolean begun = started;
            return current != null && begun;
        }

        private synchronized void begin() {
            started = true;
        }

        private synchronized void waitForWakeUp() throws InterruptedException {
            while (!woken) {
                wait();
            }
            woken = false;
        }

        private void execute(Task task) throws InterruptedException {
            reset(task);
            lastId = task.id;
            while (!task.condition.holds(db)) {
                waitForWakeUp();
            }
            begin();
            checker.watch(task.condition);
            synchronise(false);
            if (!execution.isIdle()) {
                polls++;
            }
            execution.command(task.action);
            if (steps == 0) {
                Invisible.step(1);
            }
            waitForWakeUp();
            if (execution.hasFinished()) {
                polls++;
            }
            if (steps == 0) {
                Invisible.step(2);
            }
            steps++;
            task.succeeded = true;
        }

        @Override
        public void run() {
            synchronise(true);
            Invisible.meet(2);
            Invisible.await(1);
            try {
                Task task = plan.next();
                while (task != null) {
                    execute(task);
                    task = plan.next();
                }
                reset(null);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            execution.shutDown();
            db.close();
        }
    }

    /** Watches the database and tells the executive what changes concern it. */
    static class ExecCondChecker {
        private Database db;
        private RuntimeExecutive exec;
        private boolean conditionSetChanged;
        private boolean checkerDBChanged;
        private Condition watched;
        private boolean ended;
        private final Thread dbMonitor;
        private final Thread filter;

        ExecCondChecker(Database db, RuntimeExecutive exec) {
            dbMonitor = new Thread(this::monitor, "db-monitor");
            filter = new Thread(this::filter, "filter");
            this.db = db; //~ paper data-race
            this.exec = exec; //~ paper data-race
            init();
            dbMonitor.start();
            filter.start();
        }

        private void init() {
            conditionSetChanged = false; //~ paper data-race
            checkerDBChanged = false; //~ paper data-race
            watched = null; //~ paper data-race
        }

        /** Called by the executive. */
        synchronized void watch(Condition condition) {
            watched = condition;
            conditionSetChanged = true;
        }

        private void monitor() {
            try {
                int seen = db.waitForChange(0);
                while (seen >= 0) {
                    synchronise(true);
                    signal();
                    seen = db.waitForChange(seen);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            end();
        }

        private synchronized void signal() {
            checkerDBChanged = true;
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        /** Whether there is something to tell, as soon as there is. */
        private synchronized boolean waitForChange() throws InterruptedException {
            while (!checkerDBChanged && !ended) {
                wait();
            }
            boolean changed = checkerDBChanged;
            checkerDBChanged = false;
            conditionSetChanged = false;
            return changed;
        }

        private synchronized Condition watched() {
            return watched;
        }

        private void filter() {
            int told = 0;
            try {
                while (waitForChange()) {
                    synchronise(false);
                    Condition condition = watched();
                    boolean running = exec.isRunning();
                    boolean concerned = running || condition == null || condition.holds(db);
                    told++;
                    if (concerned && exec.wantsToHear()) { //~ high-level-race
                        exec.wakeUp(told);
                    }
                    if (told == 1) {
                        Invisible.step(0);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void join() throws InterruptedException {
            dbMonitor.join();
            filter.join();
        }
    }

    static Plan plan() {
        Plan plan = new Plan();
        Condition always = new Condition(0, 0);
        plan.add(new Task(1, new Action("drive", 0, 1), always));
        plan.add(new Task(2, new Action("turn", 1, 1), new Condition(0, 1)));
        plan.add(new Task(3, new Action("raise arm", 2, 1), new Condition(1, 1)));
        plan.add(new Task(4, new Action("take picture", 3, 1), new Condition(2, 1)));
        plan.add(new Task(5, new Action("drive back", 0, 2), new Condition(3, 1)));
        return plan;
    }

    public static void main(String[] args) throws InterruptedException {
        Plan plan = plan();
        Database db = new Database(4);
        ActionExecution execution = new ActionExecution(db);
        RuntimeExecutive executive = new RuntimeExecutive(plan, execution, db);
        ExecCondChecker checker = new ExecCondChecker(db, executive);
        executive.setChecker(checker);
        execution.start();
        executive.start();
        executive.join();
        execution.join();
        checker.join();
        System.out.println("Rover " + plan.length() + " " + db.value(0));
    }
}
