/**
 * Successive over-relaxation on a grid, as in the experiments of "High-level data races" and "Atomizer": two workers share the
 * rows, colour the grid red and black, and meet at a barrier between the colours. Nothing is wrong with it.
 */
public class Sor {
    static int size = 60;
    static final int WORKERS = 2;
    static int iterations = 20;
    static final double OMEGA = 1.25;

    /** Nobody goes on before everybody is here. */
    static class Barrier {
        private final int parties;
        private int waiting;
        private int generation;

        Barrier(int parties) {
            this.parties = parties;
        }

        synchronized void await() throws InterruptedException {
            int mine = generation;
            waiting++;
            if (waiting == parties) {
                waiting = 0;
                generation++;
                notifyAll();
                return;
            }
            while (generation == mine) {
                wait();
            }
        }
    }

    static class Grid {
        private final double[][] cells;

        Grid(int size) {
            cells = new double[size][size];
            for (int row = 0; row < size; row++) {
                for (int column = 0; column < size; column++) {
                    cells[row][column] = (row * 31 + column * 17) % 100 / 100.0;
                }
            }
        }

        /** Relaxes the cells of one colour in a row. */
        void relax(int row, int colour) {
            double[] above = cells[row - 1];
            double[] here = cells[row];
            double[] below = cells[row + 1];
            for (int column = 1 + (row + colour) % 2; column < here.length - 1; column += 2) {
                double around = above[column] + below[column] + here[column - 1] + here[column + 1];
                here[column] = OMEGA / 4 * around + (1 - OMEGA) * here[column];
            }
        }

        double sum() {
            double sum = 0;
            for (double[] row : cells) {
                for (double cell : row) {
                    sum += cell;
                }
            }
            return sum;
        }
    }

    /** How far the workers are; the slowest counts. */
    static class Progress {
        private int done;
        private double largest;

        synchronized void report(double change) {
            done++;
            largest = Math.max(largest, change);
        }

        synchronized int done() {
            return done;
        }
    }

    static class Worker extends Thread {
        private final Grid grid;
        private final Barrier barrier;
        private final Progress progress;
        private final int first;
        private final int last;

        Worker(Grid grid, Barrier barrier, Progress progress, int number) {
            this.grid = grid;
            this.barrier = barrier;
            this.progress = progress;
            int rows = (size - 2) / WORKERS;
            first = 1 + number * rows;
            last = number == WORKERS - 1 ? size - 1 : first + rows;
        }

        @Override
        public void run() {
            try {
                for (int iteration = 0; iteration < iterations; iteration++) {
                    for (int colour = 0; colour < 2; colour++) {
                        for (int row = first; row < last; row++) {
                            grid.relax(row, colour);
                        }
                        barrier.await();
                    }
                    progress.report(1.0 / (iteration + 1));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 2) {
            size = Integer.parseInt(args[0]);
            iterations = Integer.parseInt(args[1]);
        }
        Grid grid = new Grid(size);
        Barrier barrier = new Barrier(WORKERS);
        Progress progress = new Progress();
        Worker[] workers = new Worker[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Worker(grid, barrier, progress, i);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        System.out.printf("Sor %.6f %d%n", grid.sum(), progress.done());
    }
}
