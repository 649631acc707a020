import support.Threads;

/** Every array element is a variable of its own. */
public class ArrayElements {
    static long sum(long[] array) {
        long sum = 0;
        for (long element : array) {
            sum += element;
        }
        return sum;
    }

    static long sameIndexBad() throws InterruptedException {
        long[] cells = new long[8];
        Threads.inTurn(
                () -> cells[3]++, //~ data-race
                () -> cells[3] += 2); //~ data-race
        return sum(cells);
    }

    static void fill(long[] cells, int from, int step) {
        for (int i = from; i < cells.length; i += step) {
            cells[i] = i;
        }
    }

    static long disjointIndexesOk() throws InterruptedException {
        long[] cells = new long[64];
        long[][] rows = new long[2][4];
        Threads.inTurn(
                () -> {
                    fill(cells, 0, 2);
                    fill(rows[0], 0, 1);
                },
                () -> {
                    fill(cells, 1, 2);
                    fill(rows[1], 0, 1);
                });
        return sum(cells) + sum(rows[0]) + sum(rows[1]);
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("ArrayElements " + sameIndexBad() + " " + disjointIndexesOk());
    }
}
