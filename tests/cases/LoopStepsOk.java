import support.Threads;

/** Loops that take several elements at a step, each thread its own: they meet nowhere, although their ranges overlap. */
public class LoopStepsOk {
    static void fill(int[] cells, int from, int step) {
        for (int i = from; i < cells.length; i += 2) {
            cells[i] = step;
        }
    }

    static int evenAndOddOk() throws InterruptedException {
        int[] cells = new int[5000];
        Threads.inTurn(() -> fill(cells, 0, 1), () -> fill(cells, 1, 2));
        return cells[4998] + cells[4999];
    }

    static long upAndDownOk() throws InterruptedException {
        long[] cells = new long[100];
        Threads.inTurn(
                () -> {
                    for (int i = 0; i < 100; i += 3) {
                        cells[i] = i;
                    }
                },
                () -> {
                    for (int i = 98; i >= 0; i -= 3) {
                        cells[i] = i;
                    }
                });
        return cells[98] + cells[99];
    }

    static double leftBeforeOk() throws InterruptedException {
        double[] cells = new double[100];
        Threads.inTurn(
                () -> {
                    for (int i = 0; i < 100; i += 10) {
                        if (i == 30) {
                            break;
                        }
                        cells[i] = i;
                    }
                },
                () -> cells[30]++);
        return cells[30];
    }

    static int underALockOk() throws InterruptedException {
        short[] cells = new short[100];
        Threads.Body body = () -> {
            for (int times = 0; times < 5; times++) {
                synchronized (cells) {
                    for (int i = 1; i < cells.length; i += 4) {
                        cells[i]++;
                    }
                }
            }
        };
        Threads.inTurn(body, body);
        return cells[97];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LoopStepsOk " + evenAndOddOk() + " " + upAndDownOk() + " " + leftBeforeOk() + " " + underALockOk());
    }
}
