import support.Threads;

/** Loops over arrays that meet in some elements: they race there, however the loop is written and left. */
public class LoopRangeBad {
    static void fill(int[] cells, int from, int until) {
        for (int i = from; i < until; i++) {
            cells[i] = i; //~ data-race
        }
    }

    static int overlapBad() throws InterruptedException {
        int[] cells = new int[100];
        Threads.inTurn(() -> fill(cells, 0, 51), () -> fill(cells, 50, 100));
        return cells[50];
    }

    static long lastElementDownBad() throws InterruptedException {
        long[] cells = new long[100];
        long[] seen = new long[1];
        Threads.inTurn(
                () -> cells[40] = 7, //~ data-race
                () -> {
                    int i = 99;
                    long sum = 0;
                    do {
                        sum += cells[i]; //~ data-race
                    } while (--i >= 40);
                    seen[0] = sum;
                });
        return seen[0];
    }

    static double leftByAnExceptionBad() throws InterruptedException {
        double[] cells = new double[100];
        Threads.inTurn(
                () -> {
                    try {
                        for (int i = 1; ; i++) {
                            if (i > 1000) break;
                            cells[i] = i; //~ data-race
                        }
                    } catch (ArrayIndexOutOfBoundsException e) {
                        // what comes before the end was written
                    }
                },
                () -> cells[99]++); //~ data-race
        return cells[99];
    }

    static int leftInTheMiddleBad() throws InterruptedException {
        short[] cells = new short[100];
        Threads.inTurn(
                () -> cells[30]++, //~ data-race
                () -> {
                    for (int i = 0; i < cells.length; i++) {
                        if (cells[i] == 1) { //~ data-race
                            break;
                        }
                    }
                });
        return cells[30];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LoopRangeBad " + overlapBad() + " " + lastElementDownBad() + " " + leftByAnExceptionBad() + " "
                + leftInTheMiddleBad());
    }
}
