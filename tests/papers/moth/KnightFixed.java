/** {@link Knight} with one step that compares and writes. */
public class KnightFixed {
    static final int SIZE = 8;
    static final int[][] JUMPS = {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}};

    static class Field {
        private int moves = Integer.MAX_VALUE;

        synchronized int getMoves() {
            return moves;
        }

        synchronized boolean lower(int value) {
            if (moves > value) {
                moves = value;
                return true;
            }
            return false;
        }
    }

    static class Board {
        private final Field[][] fields = new Field[SIZE][SIZE];

        Board() {
            for (int row = 0; row < SIZE; row++) {
                for (int column = 0; column < SIZE; column++) {
                    fields[row][column] = new Field();
                }
            }
        }

        Field at(int row, int column) {
            return fields[row][column];
        }

        static boolean contains(int row, int column) {
            return row >= 0 && row < SIZE && column >= 0 && column < SIZE;
        }
    }

    static class Solver extends Thread {
        private final Board board;
        private final int row;
        private final int column;

        Solver(Board board, int row, int column) {
            this.board = board;
            this.row = row;
            this.column = column;
        }

        @Override
        public void run() {
            search(row, column, 1, 4);
        }

        private void search(int fromRow, int fromColumn, int moves, int deepest) {
            if (moves > deepest) {
                return;
            }
            for (int[] jump : JUMPS) {
                int toRow = fromRow + jump[0];
                int toColumn = fromColumn + jump[1];
                if (Board.contains(toRow, toColumn)) {
                    Field field = board.at(toRow, toColumn);
                    if (field.lower(moves)) {
                        search(toRow, toColumn, moves + 1, deepest);
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Board board = new Board();
        Solver one = new Solver(board, 0, 0);
        Solver two = new Solver(board, 0, 0);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(board.at(1, 2).getMoves());
    }
}
