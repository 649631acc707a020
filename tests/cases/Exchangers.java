import java.util.concurrent.Exchanger;
import support.Invisible;
import support.Threads;

/** An exchange hands each side what the other wrote before it. */
public class Exchangers {
    static class LateBox {
        int value;
    }

    static class Box {
        int value;
    }

    static final Exchanger<LateBox> LATE = new Exchanger<>();
    static final Exchanger<Box> SWAP = new Exchanger<>();
    static final int[] SEEN = new int[3];

    static void writtenAfterTheExchangeBad() throws InterruptedException {
        Threads.run(
                () -> {
                    LateBox box = new LateBox();
                    LATE.exchange(box);
                    box.value = 4; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    LateBox box = LATE.exchange(new LateBox());
                    Invisible.step(1);
                    SEEN[0] = box.value; //~ data-race
                });
    }

    static void swap(int mine) throws InterruptedException {
        Box box = new Box();
        box.value = mine;
        box = SWAP.exchange(box);
        SEEN[mine] = box.value++;
    }

    static void writtenBeforeTheExchangeOk() throws InterruptedException {
        Threads.run(() -> swap(1), () -> swap(2));
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterTheExchangeBad();
        writtenBeforeTheExchangeOk();
        System.out.println("Exchangers " + SEEN[0] + " " + SEEN[1] + " " + SEEN[2]);
    }
}
