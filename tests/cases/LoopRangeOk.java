import support.Threads;

/** Loops over arrays that share no element, or share them under a lock. */
public class LoopRangeOk {
    static void fill(int[] cells, int from, int until) {
        for (int i = from; i < until; i++) {
            cells[i] = i;
        }
    }

    static int besideEachOtherOk() throws InterruptedException {
        int[] cells = new int[100];
        Threads.inTurn(() -> fill(cells, 0, 50), () -> fill(cells, 50, 100), () -> fill(cells, 99, 99));
        return cells[49] + cells[50];
    }

    static long downToTheBorderOk() throws InterruptedException {
        long[] cells = new long[100];
        Threads.inTurn(
                () -> {
                    for (int i = 49; i >= 0; i--) {
                        cells[i] = i;
                    }
                },
                () -> {
                    int i = 50;
                    while (i < 100) {
                        cells[i++] = i;
                    }
                });
        return cells[50];
    }

    static double leftBeforeTheBorderOk() throws InterruptedException {
        double[] cells = new double[100];
        Threads.inTurn(
                () -> {
                    for (int i = 0; i < 100; i++) {
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
            synchronized (cells) {
                for (int i = 0; i < cells.length; i++) {
                    cells[i]++;
                }
            }
        };
        Threads.inTurn(body, body);
        return cells[99];
    }

    static int handedOverOk() throws InterruptedException {
        byte[] cells = new byte[100];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = 1;
        }
        Threads.inTurn(() -> {
            for (int i = 0; i < cells.length; i++) {
                cells[i]++;
            }
        });
        int sum = 0;
        for (byte cell : cells) {
            sum += cell;
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LoopRangeOk " + besideEachOtherOk() + " " + downToTheBorderOk() + " " + leftBeforeTheBorderOk()
                + " " + underALockOk() + " " + handedOverOk());
    }
}
