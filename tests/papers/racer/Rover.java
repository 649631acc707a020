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

    /** Reads words and numbers of a text. Only whoever reads a plan uses it. */
    static class Scanner {
        private String text;
        private int at;
        private int line;

        Scanner(String text) {
            this.text = text;
            at = 0;
            line = 1;
        }

        boolean hasMore() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                if (text.charAt(at) == '\n') {
                    line++;
                }
                at++;
            }
            return at < text.length();
        }

        String word() {
            if (!hasMore()) {
                throw new IllegalStateException("the plan ends in line " + line);
            }
            int from = at;
            while (at < text.length() && !Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.substring(from, at);
        }

        int number() {
            String word = word();
            try {
                return Integer.parseInt(word);
            } catch (NumberFormatException e) {
                throw new IllegalStateException("a number, and not " + word + ", in line " + line);
            }
        }

        void expect(String wanted) {
            String word = word();
            if (!word.equals(wanted)) {
                throw new IllegalStateException(wanted + ", and not " + word + ", in line " + line);
            }
        }
    }

    /** Makes a plan of its text: {@code ID NAME COMPONENT EFFECT when COMPONENT LEAST}, one task after the other. */
    static class PlanReader {
        private Scanner scanner;
        private int tasks;
        private int components;

        PlanReader(String text) {
            scanner = new Scanner(text);
        }

        Plan read() {
            Plan plan = new Plan();
            while (scanner.hasMore()) {
                plan.add(task());
                tasks++;
            }
            if (tasks == 0) {
                throw new IllegalStateException("an empty plan");
            }
            return plan;
        }

        private Task task() {
            int id = scanner.number();
            String name = scanner.word().replace('-', ' ');
            Action action = new Action(name, component(), scanner.number());
            scanner.expect("when");
            return new Task(id, action, new Condition(component(), scanner.number()));
        }

        private int component() {
            int component = scanner.number();
            components = Math.max(components, component + 1);
            return component;
        }

        /** How many components the plan speaks of. */
        int components() {
            return components;
        }
    }

    /** A place on the ground, and the way there. Only who drives uses it. */
    static class Cell {
        private int row;
        private int column;
        private int cost;
        private boolean visited;
        private Cell from;

        Cell(int row, int column) {
            this.row = row;
            this.column = column;
            cost = Integer.MAX_VALUE;
        }

        void reach(Cell by, int steps) {
            from = by;
            cost = steps;
        }
    }

    /** Finds a way around rocks. The thread that lets the vehicle act makes its own. */
    static class Navigator {
        private static final int SIZE = 12;

        private Cell[][] ground;
        private int row;
        private int column;
        private int driven;
        private int searched;

        Navigator() {
            ground = new Cell[SIZE][SIZE];
        }

        private boolean isRock(int atRow, int atColumn) {
            return atRow % 3 == 1 && atColumn % 4 != 2;
        }

        private void clear() {
            for (int r = 0; r < SIZE; r++) {
                for (int c = 0; c < SIZE; c++) {
                    ground[r][c] = isRock(r, c) ? null : new Cell(r, c);
                }
            }
        }

        /** The cell to go on from: the one that is reached with the fewest steps. */
        private Cell nearest() {
            Cell nearest = null;
            for (Cell[] cells : ground) {
                for (Cell cell : cells) {
                    if (cell != null && !cell.visited && cell.cost < Integer.MAX_VALUE
                            && (nearest == null || cell.cost < nearest.cost)) {
                        nearest = cell;
                    }
                }
            }
            return nearest;
        }

        private void spread(Cell cell) {
            int[][] steps = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            for (int[] step : steps) {
                int toRow = cell.row + step[0];
                int toColumn = cell.column + step[1];
                if (toRow < 0 || toRow >= SIZE || toColumn < 0 || toColumn >= SIZE) {
                    continue;
                }
                Cell to = ground[toRow][toColumn];
                if (to != null && cell.cost + 1 < to.cost) {
                    to.reach(cell, cell.cost + 1);
                }
            }
        }

        /** Drives to a place; how many steps that took, or -1 if there is no way. */
        int drive(int toRow, int toColumn) {
            clear();
            if (ground[toRow][toColumn] == null) {
                return -1;
            }
            ground[row][column].reach(null, 0);
            Cell cell = nearest();
            while (cell != null && (cell.row != toRow || cell.column != toColumn)) {
                cell.visited = true;
                searched++;
                spread(cell);
                cell = nearest();
            }
            if (cell == null) {
                return -1;
            }
            int steps = 0;
            for (Cell back = cell; back.from != null; back = back.from) {
                steps++;
            }
            row = toRow;
            column = toColumn;
            driven += steps;
            return steps;
        }

        boolean isSane() {
            return driven >= row + column && searched >= driven;
        }
    }

    /** What one step of the plan was like. */
    static class Sample {
        private int task;
        private int polls;
        private boolean succeeded;
        private Sample before;

        Sample(int task, int polls, boolean succeeded, Sample before) {
            this.task = task;
            this.polls = polls;
            this.succeeded = succeeded;
            this.before = before;
        }
    }

    /** What the executive keeps for itself: a sample for each step, and sums of all. */
    static class Telemetry {
        private Sample last;
        private int count;
        private int failed;
        private int most;

        void add(int task, int polls, boolean succeeded) {
            last = new Sample(task, polls, succeeded, last);
            count++;
            if (!succeeded) {
                failed++;
            }
            most = Math.max(most, polls);
        }

        /** Whether the samples are those of the sums, and their tasks come in order. */
        boolean isSane() {
            int samples = 0;
            int failures = 0;
            int after = Integer.MAX_VALUE;
            for (Sample sample = last; sample != null; sample = sample.before) {
                samples++;
                failures += sample.succeeded ? 0 : 1;
                if (sample.task > after || sample.polls > most) {
                    return false;
                }
                after = sample.task;
            }
            return samples == count && failures == failed;
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
                Navigator navigator = new Navigator();
                Action action = take();
                while (action != null) {
                    synchronise(true);
                    navigator.drive(3 * action.component, 2 * action.effect);
                    perform(action);
                    action = take();
                }
                if (!navigator.isSane()) {
                    throw new IllegalStateException("lost");
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
                Telemetry telemetry = new Telemetry();
                Task task = plan.next();
                while (task != null) {
                    execute(task);
                    telemetry.add(task.id, polls, task.succeeded);
                    task = plan.next();
                }
                reset(null);
                if (!telemetry.isSane()) {
                    throw new IllegalStateException("wrong telemetry");
                }
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

    /** The plan of the day. */
    static final String PLAN = "1 drive 0 1 when 0 0\n"
            + "2 turn 1 1 when 0 1\n"
            + "3 raise-arm 2 1 when 1 1\n"
            + "4 take-picture 3 1 when 2 1\n"
            + "5 drive-back 0 2 when 3 1\n";

    public static void main(String[] args) throws InterruptedException {
        PlanReader reader = new PlanReader(PLAN);
        Plan plan = reader.read();
        Database db = new Database(reader.components());
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
