import java.util.Arrays;
import java.util.stream.IntStream;
import support.Invisible;

/** A parallel stream runs its functions in several threads, and comes back when all are done. */
public class ParallelStreams {
    static final int[] CELLS = new int[100];
    static int shared;
    static int factor;

    static void add(int turn) {
        Invisible.meet(2);
        Invisible.await(turn);
        shared++; //~ data-race
        Invisible.step(turn);
    }

    static void sideEffectBad() {
        Invisible.restart();
        IntStream.range(0, 2).parallel().forEach(ParallelStreams::add);
    }

    static int reductionOk() {
        factor = 2;
        int sum = IntStream.range(0, 100).parallel().map(i -> i * factor).sum();
        IntStream.range(0, 100).parallel().forEach(i -> CELLS[i] = factor * i);
        factor = 3;
        return sum + Arrays.stream(CELLS).sum() + CELLS[99];
    }

    public static void main(String[] args) {
        sideEffectBad();
        int sum = reductionOk();
        System.out.println("ParallelStreams " + shared + " " + sum + " " + factor);
    }
}
