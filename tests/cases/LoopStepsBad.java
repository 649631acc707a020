import support.Threads;

/** Loops that take several elements at a step and meet in some of them. */
public class LoopStepsBad {
    static void fill(int[] cells, int from, int until) {
        for (int i = from; i < until; i += 2) {
            cells[i] = i; //~ data-race
        }
    }

    static int lastElementBad() throws InterruptedException {
        int[] cells = new int[5000];
        Threads.inTurn(() -> fill(cells, 0, 3999), () -> fill(cells, 3998, 5000));
        return cells[3998];
    }

    static long downBad() throws InterruptedException {
        long[] cells = new long[100];
        long[] seen = new long[1];
        Threads.inTurn(
                () -> cells[1] = 7, //~ data-race
                () -> {
                    int i = 97;
                    long sum = 0;
                    do {
                        sum += cells[i]; //~ data-race
                        i -= 8;
                    } while (i >= 0);
                    seen[0] = sum;
                });
        return seen[0];
    }

    static double leftByAnExceptionBad() throws InterruptedException {
        double[] cells = new double[100];
        Threads.inTurn(
                () -> {
                    try {
                        for (int i = 1; i < 1000; i += 7) {
                            cells[i] = i; //~ data-race
                        }
                    } catch (ArrayIndexOutOfBoundsException e) {
                        // what comes before the end was written
                    }
                },
                () -> cells[99]++); //~ data-race
        return cells[99];
    }

    static int differentStepsBad() throws InterruptedException {
        short[] cells = new short[100];
        Threads.inTurn(
                () -> {
                    for (int i = 2; i < 100; i += 9) {
                        cells[i] = 1; //~ data-race
                    }
                },
                () -> {
                    for (int i = 90; i >= 60; i -= 10) {
                        cells[i + 3] = 2; //~ data-race
                    }
                });
        return cells[83];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LoopStepsBad " + lastElementBad() + " " + downBad() + " " + leftByAnExceptionBad() + " "
                + differentStepsBad());
    }
}
