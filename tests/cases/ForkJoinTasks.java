import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.RecursiveTask;
import support.Invisible;

/** fork() hands over to the subtask, join() and invokeAll() hand its work back. */
public class ForkJoinTasks {
    static class Meddler extends RecursiveAction {
        private static final long serialVersionUID = 1;
        static int shared;
        final int turn;

        Meddler(int turn) {
            this.turn = turn;
        }

        @Override
        protected void compute() {
            Invisible.meet(2);
            Invisible.await(turn);
            shared++; //~ data-race
            Invisible.step(turn);
        }
    }

    static class Sum extends RecursiveTask<Integer> {
        private static final long serialVersionUID = 1;
        final int[] numbers;
        final int from;
        final int to;
        int steps = 1;

        Sum(int[] numbers, int from, int to) {
            this.numbers = numbers;
            this.from = from;
            this.to = to;
        }

        @Override
        protected Integer compute() {
            if (to - from <= 4) {
                int sum = 0;
                for (int i = from; i < to; i++) {
                    sum += numbers[i];
                    numbers[i] = 0;
                }
                return sum;
            }
            int middle = (from + to) / 2;
            Sum left = new Sum(numbers, from, middle);
            Sum right = new Sum(numbers, middle, to);
            left.fork();
            int sum = right.compute() + left.join();
            steps += left.steps + right.steps;
            return sum;
        }
    }

    static void bothSubtasksBad(ForkJoinPool pool) {
        Invisible.restart();
        pool.invoke(new RecursiveAction() {
            private static final long serialVersionUID = 1;

            @Override
            protected void compute() {
                invokeAll(new Meddler(0), new Meddler(1));
            }
        });
    }

    static String divideAndConquerOk(ForkJoinPool pool) {
        int[] numbers = new int[64];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        Sum sum = new Sum(numbers, 0, numbers.length);
        return pool.invoke(sum) + " " + sum.steps + " " + numbers[63];
    }

    public static void main(String[] args) {
        ForkJoinPool pool = new ForkJoinPool(2);
        bothSubtasksBad(pool);
        String result = divideAndConquerOk(pool);
        pool.shutdown();
        System.out.println("ForkJoinTasks " + Meddler.shared + " " + result);
    }
}
