import java.util.concurrent.atomic.AtomicIntegerArray;
import support.Threads;

/** Each element of an atomic array hands over by itself: another element says nothing. */
public class AtomicArrayElements {
    static final AtomicIntegerArray FLAGS = new AtomicIntegerArray(4);
    static int other;
    static int same;

    static void anotherElementBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    other = 1; //~ data-race
                    FLAGS.set(0, 1);
                },
                () -> {
                    FLAGS.get(1);
                    other++; //~ data-race
                });
    }

    static void sameElementOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    same = 1;
                    FLAGS.set(2, 1);
                },
                () -> {
                    FLAGS.get(2);
                    same++;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        anotherElementBad();
        sameElementOk();
        System.out.println("AtomicArrayElements " + other + " " + same);
    }
}
