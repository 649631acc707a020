/**
 * A database of numbered variables with statements that compute new values from old ones, as Teixeira and others describe it:
 * every access to the database is atomic. Three operations take two steps: a statement reads its variables and then
 * stores what it made of them, one counts up, and one looks whether a number is the highest before it stores it.
 */
public class ArithmeticDatabase {
    @interface Atomic {
    }

    static final int ROUNDS = 8;

    /** Which variable has which number. Made before any thread starts. */
    static class Names {
        private final String[] names = new String[16];
        private int count;

        int number(String name) {
            for (int i = 0; i < count; i++) {
                if (names[i].equals(name)) {
                    return i;
                }
            }
            if (count == names.length) {
                throw new IllegalArgumentException("too many variables");
            }
            names[count] = name;
            count++;
            return count - 1;
        }

        int count() {
            return count;
        }
    }

    /** What can be computed from what the database has. */
    abstract static class Expression {
        abstract long value(Database database);
    }

    static final class Constant extends Expression {
        private final long value;

        Constant(long value) {
            this.value = value;
        }

        @Override
        long value(Database database) {
            return value;
        }
    }

    static final class Variable extends Expression {
        private final int number;

        Variable(int number) {
            this.number = number;
        }

        @Override
        long value(Database database) {
            return database.get(number);
        }
    }

    static final class Binary extends Expression {
        private final char operator;
        private final Expression left;
        private final Expression right;

        Binary(char operator, Expression left, Expression right) {
            this.operator = operator;
            this.left = left;
            this.right = right;
        }

        @Override
        long value(Database database) {
            long one = left.value(database);
            long other = right.value(database);
            switch (operator) {
                case '+':
                    return one + other;
                case '-':
                    return one - other;
                case '*':
                    return one * other;
                default:
                    return other == 0 ? 0 : one / other;
            }
        }
    }

    /** A variable and what it becomes. */
    static final class Statement {
        private final int target;
        private final Expression expression;

        Statement(int target, Expression expression) {
            this.target = target;
            this.expression = expression;
        }
    }

    /** Reads statements such as {@code sum = sum + 2 * (a - 1)}. */
    static class Parser {
        private final String text;
        private final Names names;
        private int at;

        Parser(String text, Names names) {
            this.text = text;
            this.names = names;
        }

        private void skip() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }

        private boolean comes(char wanted) {
            skip();
            if (at < text.length() && text.charAt(at) == wanted) {
                at++;
                return true;
            }
            return false;
        }

        private IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException(what + " is missing at " + at + " in " + text);
        }

        private String word() {
            skip();
            int start = at;
            while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
                at++;
            }
            if (start == at) {
                throw wrong("a name or number");
            }
            return text.substring(start, at);
        }

        private Expression factor() {
            if (comes('(')) {
                Expression inner = sum();
                if (!comes(')')) {
                    throw wrong("a bracket");
                }
                return inner;
            }
            String word = word();
            if (Character.isDigit(word.charAt(0))) {
                return new Constant(Long.parseLong(word));
            }
            return new Variable(names.number(word));
        }

        private Expression product() {
            Expression left = factor();
            while (true) {
                if (comes('*')) {
                    left = new Binary('*', left, factor());
                } else if (comes('/')) {
                    left = new Binary('/', left, factor());
                } else {
                    return left;
                }
            }
        }

        private Expression sum() {
            Expression left = product();
            while (true) {
                if (comes('+')) {
                    left = new Binary('+', left, product());
                } else if (comes('-')) {
                    left = new Binary('-', left, product());
                } else {
                    return left;
                }
            }
        }

        Statement statement() {
            int target = names.number(word());
            if (!comes('=')) {
                throw wrong("an equals sign");
            }
            Expression expression = sum();
            skip();
            if (at < text.length()) {
                throw wrong("the end");
            }
            return new Statement(target, expression);
        }
    }

    /** The variables, and what was done to them. Every access is atomic. */
    static class Database {
        private final long[] values;
        private int operations;
        private long highest;

        Database(int variables) {
            values = new long[variables];
        }

        @Atomic
        synchronized long get(int number) {
            return values[number];
        }

        @Atomic
        synchronized void put(int number, long value) {
            values[number] = value;
        }

        @Atomic
        synchronized int getOperations() {
            return operations;
        }

        @Atomic
        synchronized void setOperations(int count) {
            operations = count;
        }

        @Atomic
        synchronized long getHighest() {
            return highest;
        }

        @Atomic
        synchronized void setHighest(long value) {
            highest = value;
        }
    }

    /** Executes the same statements again and again. */
    static class Worker extends Thread {
        private final Database database;
        private final Statement[] statements;

        Worker(Database database, Statement[] statements) {
            this.database = database;
            this.statements = statements;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                for (Statement statement : statements) {
                    execute(statement);
                    count();
                }
            }
        }

        private void execute(Statement statement) {
            long value = statement.expression.value(database);
            database.put(statement.target, value); //~ stale-value
            raise(value);
        }

        private void count() {
            int done = database.getOperations();
            database.setOperations(done + 1); //~ stale-value
        }

        private void raise(long value) {
            if (value > database.getHighest()) {
                database.setHighest(value); //~ stale-value
            }
        }
    }

    /** Looks at what was done so far, one number at a time. */
    static class Auditor extends Thread {
        private final Database database;
        private int seen;

        Auditor(Database database) {
            this.database = database;
        }

        @Override
        public void run() {
            for (int round = 0; round < ROUNDS; round++) {
                seen = Math.max(seen, database.getOperations());
                Thread.yield();
            }
        }

        int seen() {
            return seen;
        }
    }

    private static Statement[] parse(Names names, String... lines) {
        Statement[] statements = new Statement[lines.length];
        for (int i = 0; i < lines.length; i++) {
            statements[i] = new Parser(lines[i], names).statement();
        }
        return statements;
    }

    public static void main(String[] args) throws InterruptedException {
        Names names = new Names();
        Statement[] sums = parse(names, "n = n + 1", "sum = sum + n", "mean = sum / n");
        Statement[] squares = parse(names, "n = n + 1", "square = n * n", "all = all + square - (n - 1)");
        Database database = new Database(names.count());
        Worker one = new Worker(database, sums);
        Worker two = new Worker(database, squares);
        Auditor auditor = new Auditor(database);
        one.start();
        two.start();
        auditor.start();
        one.join();
        two.join();
        auditor.join();
        boolean plausible = database.getOperations() > 0 && database.getHighest() > 0;
        System.out.println(plausible && auditor.seen() >= 0);
    }
}
