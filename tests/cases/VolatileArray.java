import support.Invisible;
import support.Threads;

/** A volatile reference to an array makes the reference volatile, not the elements. */
public class VolatileArray {
    static volatile int[] elements = new int[1];
    static volatile long[] published;

    static void elementWrittenBad() throws InterruptedException {
        Threads.inTurn(
                () -> elements[0] = 1, //~ data-race
                () -> elements[0]++); //~ data-race
    }

    static void referenceWrittenAfterwardsOk() throws InterruptedException {
        Threads.run(
                () -> {
                    long[] array = new long[1];
                    array[0] = 1;
                    published = array;
                    Invisible.step(0);
                },
                () -> {
                    Invisible.step(1);
                    published[0]++;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        elementWrittenBad();
        referenceWrittenAfterwardsOk();
        System.out.println("VolatileArray " + elements[0] + " " + published[0]);
    }
}
