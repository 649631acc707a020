import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** {@link Knight} with one step that asks and writes, so that the numbers come out right. */
public class KnightFixed {
    /** Where a knight can go from where it stands. */
    enum Jump {
        UP_RIGHT(2, 1), RIGHT_UP(1, 2), RIGHT_DOWN(-1, 2), DOWN_RIGHT(-2, 1),
        DOWN_LEFT(-2, -1), LEFT_DOWN(-1, -2), LEFT_UP(1, -2), UP_LEFT(2, -1);

        final int rows;
        final int columns;

        Jump(int rows, int columns) {
            this.rows = rows;
            this.columns = columns;
        }
    }

    /** A place on a board. Nothing in it changes. */
    static final class Place {
        final int row;
        final int column;

        Place(int row, int column) {
            this.row = row;
            this.column = column;
        }

        Place after(Jump jump) {
            return new Place(row + jump.rows, column + jump.columns);
        }

        /** As chess players write it: {@code b1}. */
        static Place of(String name) {
            if (name.length() != 2) {
                throw new IllegalArgumentException("a place is a letter and a digit, and not " + name);
            }
            return new Place(name.charAt(1) - '1', name.charAt(0) - 'a');
        }

        @Override
        public String toString() {
            return "" + (char) ('a' + column) + (char) ('1' + row);
        }
    }

    /** What is known of a place: in how many moves a knight comes there. */
    static class Field {
        static final int UNKNOWN = Integer.MAX_VALUE;

        private int moves = UNKNOWN;

        synchronized int getMoves() {
            return moves;
        }

        synchronized void setMoves(int value) {
            moves = value;
        }

        /** Whether these are fewer moves than were known so far, and then they are known from now on. */
        synchronized boolean lower(int value) {
            if (moves <= value) {
                return false;
            }
            moves = value;
            return true;
        }
    }

    static class Board {
        private final int size;
        private final Field[][] fields;

        Board(int size) {
            this.size = size;
            fields = new Field[size][size];
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    fields[row][column] = new Field();
                }
            }
        }

        int size() {
            return size;
        }

        Field at(Place place) {
            return fields[place.row][place.column];
        }

        boolean contains(Place place) {
            return place.row >= 0 && place.row < size && place.column >= 0 && place.column < size;
        }

        /** The numbers row by row, the highest row first, as a board is looked at. */
        List<String> rows() {
            List<String> rows = new ArrayList<>();
            for (int row = size - 1; row >= 0; row--) {
                StringBuilder text = new StringBuilder();
                for (int column = 0; column < size; column++) {
                    int moves = fields[row][column].getMoves();
                    text.append(moves == Field.UNKNOWN ? "." : Integer.toString(moves));
                    text.append(column + 1 < size ? " " : "");
                }
                rows.add(text.toString());
            }
            return rows;
        }
    }

    /** Searches in depth, beginning with some of the jumps. */
    static class Solver extends Thread {
        private final Board board;
        private final Place start;
        private final List<Jump> first;
        private final int deepest;
        private int improved;

        Solver(Board board, Place start, List<Jump> first, int deepest) {
            this.board = board;
            this.start = start;
            this.first = first;
            this.deepest = deepest;
        }

        @Override
        public void run() {
            for (Jump jump : first) {
                go(start.after(jump), 1);
            }
        }

        private void search(Place from, int moves) {
            if (moves > deepest) {
                return;
            }
            for (Jump jump : Jump.values()) {
                go(from.after(jump), moves);
            }
        }

        /** Comes to a place with the last of so many moves. */
        private void go(Place to, int moves) {
            if (!board.contains(to)) {
                return;
            }
            if (board.at(to).lower(moves)) {
                improved++;
                search(to, moves + 1);
            }
        }

        /** How often it knew better; to be asked when it has ended. */
        int improved() {
            return improved;
        }
    }

    /** The same in breadth, without threads: every place is come to for the first time with the fewest moves. */
    static int[][] inBreadth(int size, Place start, int deepest) {
        int[][] moves = new int[size][size];
        for (int[] row : moves) {
            java.util.Arrays.fill(row, Field.UNKNOWN);
        }
        Board empty = new Board(size);
        ArrayDeque<Place> open = new ArrayDeque<>();
        moves[start.row][start.column] = 0;
        open.add(start);
        while (!open.isEmpty()) {
            Place from = open.remove();
            int next = moves[from.row][from.column] + 1;
            if (next > deepest) {
                continue;
            }
            for (Jump jump : Jump.values()) {
                Place to = from.after(jump);
                if (empty.contains(to) && moves[to.row][to.column] > next) {
                    moves[to.row][to.column] = next;
                    open.add(to);
                }
            }
        }
        return moves;
    }

    /** Hands the first jumps out to the threads in turn. */
    static List<Solver> solvers(Board board, Place start, int threads, int deepest) {
        List<Solver> solvers = new ArrayList<>();
        for (int number = 0; number < threads; number++) {
            List<Jump> jumps = new ArrayList<>();
            for (Jump jump : Jump.values()) {
                if (jump.ordinal() % threads == number) {
                    jumps.add(jump);
                }
            }
            solvers.add(new Solver(board, start, jumps, deepest));
        }
        return solvers;
    }

    public static void main(String[] args) throws InterruptedException {
        Place start = Place.of(args.length > 0 ? args[0] : "b1");
        int size = args.length > 1 ? Integer.parseInt(args[1]) : 8;
        int deepest = args.length > 2 ? Integer.parseInt(args[2]) : 5;
        Board board = new Board(size);
        board.at(start).setMoves(0);
        List<Solver> solvers = solvers(board, start, 2, deepest);
        for (Solver solver : solvers) {
            solver.start();
        }
        int improved = 0;
        for (Solver solver : solvers) {
            solver.join();
            improved += solver.improved();
        }
        int[][] right = inBreadth(size, start, deepest);
        int reached = 0;
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                int moves = board.at(new Place(row, column)).getMoves();
                if (moves != right[row][column]) {
                    System.out.println(new Place(row, column) + " has a wrong number");
                }
                reached += moves != Field.UNKNOWN ? 1 : 0;
            }
        }
        System.out.println("from " + start + " " + reached + " places, " + (improved >= reached - 1)
                + ", " + board.rows().size() + " rows");
    }
}
