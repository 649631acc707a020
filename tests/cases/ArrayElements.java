import java.util.Arrays;
import support.Threads;

/** Every array element is a variable of its own. */
public class ArrayElements {
    static long sameIndexBad() throws InterruptedException {
        long[] cells = new long[8];
        Threads.inTurn(
                () -> cells[3]++, //~ data-race
                () -> cells[3] += 2); //~ data-race
        return cells[3];
    }

    static void fill(int[] cells, int from, int step) {
        for (int i = from; i < cells.length; i += step) {
            cells[i] = i;
        }
    }

    static int disjointIndexesOk() throws InterruptedException {
        int[] cells = new int[64];
        int[][] rows = new int[2][4];
        Threads.inTurn(
                () -> {
                    fill(cells, 0, 2);
                    fill(rows[0], 0, 1);
                },
                () -> {
                    fill(cells, 1, 2);
                    fill(rows[1], 0, 1);
                });
        return Arrays.stream(cells).sum() + Arrays.stream(rows[0]).sum() + Arrays.stream(rows[1]).sum();
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("ArrayElements " + sameIndexBad() + " " + disjointIndexesOk());
    }
}
