import java.util.ArrayList;
import java.util.List;
import support.Invisible;

/** The executive of Rover; its counters have a lock, and so has the status of the action execution. */
public class RoverFixed {
    /** Synchronisations, all of them and those that an analysis could not leave out. */
    static int syncNum;
    static int syncNumOpt;

    static void synchronise(boolean needed) {
        synchronized (RoverFixed.class) {
            syncNum++;
            if (needed) {
                syncNumOpt++;
            }
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
            this.name = name;
            this.component = component;
            this.effect = effect;
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
            this.id = id;
            this.action = action;
            this.condition = condition;
        }
    }

    /** What has to hold of a component before a task begins. */
    static class Condition {
        private int component;
        private int least;

        Condition(int component, int least) {
            this.component = component;
            this.least = least;
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
            tasks = new ArrayList<>();
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
            values = new int[components];
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
            this.db = db;
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

        private synchronized int status() {
            return status;
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

        private synchronized void setStatus(int now) {
            status = now;
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
            this.plan = plan;
            this.execution = execution;
            this.db = db;
        }

        void setChecker(ExecCondChecker added) {
            checker = added;
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
        synchronized void tell(boolean holds, int change) {
            boolean running = current != null && started;
            if (ended || !holds && !running) {
                return;
            }
            lastChange = change;
            woken = true;
            wakeups++;
            notifyAll();
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
            this.db = db;
            this.exec = exec;
            init();
            dbMonitor.start();
            filter.start();
        }

        private void init() {
            conditionSetChanged = false;
            checkerDBChanged = false;
            watched = null;
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
                    told++;
                    exec.tell(condition == null || condition.holds(db), told);
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
        System.out.println("RoverFixed " + plan.length() + " " + db.value(0));
    }
}
