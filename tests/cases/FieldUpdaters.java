import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import support.Threads;

/** A field updater and the volatile field it was made for are one variable. */
public class FieldUpdaters {
    volatile int lateFlag;
    volatile int number;
    volatile long wide;
    volatile String text;
    int late;
    int[] data = new int[3];

    static final AtomicIntegerFieldUpdater<FieldUpdaters> LATE_FLAG =
            AtomicIntegerFieldUpdater.newUpdater(FieldUpdaters.class, "lateFlag");
    static final AtomicIntegerFieldUpdater<FieldUpdaters> NUMBER =
            AtomicIntegerFieldUpdater.newUpdater(FieldUpdaters.class, "number");
    static final AtomicLongFieldUpdater<FieldUpdaters> WIDE =
            AtomicLongFieldUpdater.newUpdater(FieldUpdaters.class, "wide");
    static final AtomicReferenceFieldUpdater<FieldUpdaters, String> TEXT =
            AtomicReferenceFieldUpdater.newUpdater(FieldUpdaters.class, String.class, "text");

    static int writtenAfterwardsBad() throws InterruptedException {
        FieldUpdaters shared = new FieldUpdaters();
        Threads.inTurn(
                () -> {
                    LATE_FLAG.incrementAndGet(shared);
                    shared.late = 1; //~ data-race
                },
                () -> {
                    if (shared.lateFlag == 1) {
                        shared.late++; //~ data-race
                    }
                });
        return shared.late;
    }

    static int writtenBeforeOk() throws InterruptedException {
        FieldUpdaters shared = new FieldUpdaters();
        Threads.inTurn(
                () -> {
                    shared.data[0] = 1;
                    NUMBER.set(shared, 1);
                    shared.data[1] = 2;
                    WIDE.addAndGet(shared, 1);
                    shared.data[2] = 3;
                    shared.text = "done";
                },
                () -> {
                    int number = shared.number;
                    shared.data[0] += number;
                    long wide = shared.wide;
                    shared.data[1] += (int) wide;
                    String text = TEXT.get(shared);
                    shared.data[2] += text.length();
                });
        return shared.data[0] + shared.data[1] + shared.data[2];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("FieldUpdaters " + writtenAfterwardsBad() + " " + writtenBeforeOk());
    }
}
