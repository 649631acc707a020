import java.util.Arrays;
import support.Threads;

/** System.arraycopy and java.util.Arrays use ranges of elements: ranges that overlap race, others do not. */
public class ArrayRanges {
    static void copyBad() throws InterruptedException {
        int[] target = new int[8];
        Threads.inTurn(
                () -> System.arraycopy(new int[] {1, 2, 3, 4}, 0, target, 0, 4), //~ data-race
                () -> target[2]++); //~ data-race
        System.out.println("ArrayRanges " + target[2]);
    }

    static void fillBad() throws InterruptedException {
        byte[] target = new byte[8];
        Threads.inTurn(
                () -> Arrays.fill(target, 2, 6, (byte) 1), //~ data-race
                () -> target[5]++); //~ data-race
        System.out.println("ArrayRanges " + target[5]);
    }

    static void copySourceBad() throws InterruptedException {
        char[] source = new char[8];
        int[] seen = new int[1];
        Threads.inTurn(
                () -> source[7] = 'x', //~ data-race
                () -> seen[0] = Arrays.copyOfRange(source, 4, 8)[3]); //~ data-race
        System.out.println("ArrayRanges " + seen[0]);
    }

    static void besideTheRangeOk() throws InterruptedException {
        long[] target = new long[8];
        float[] floats = new float[8];
        Threads.inTurn(
                () -> {
                    System.arraycopy(new long[] {1, 2, 3, 4}, 0, target, 0, 4);
                    Arrays.fill(floats, 2, 6, 1);
                },
                () -> {
                    target[4]++;
                    Arrays.fill(target, 5, 8, 2);
                    floats[1]++;
                    floats[6]++;
                });
        System.out.println("ArrayRanges " + Arrays.toString(target) + " " + Arrays.toString(floats));
    }

    public static void main(String[] args) throws InterruptedException {
        copyBad();
        fillBad();
        copySourceBad();
        besideTheRangeOk();
    }
}
