import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import support.Threads;

/** Atomic objects hand over what was written before them. */
public class Atomics {
    static final AtomicInteger LATE = new AtomicInteger();
    static final AtomicInteger NUMBER = new AtomicInteger();
    static final AtomicLong LONG = new AtomicLong();
    static final AtomicBoolean BOOLEAN = new AtomicBoolean();
    static final AtomicReference<int[]> REFERENCE = new AtomicReference<>();
    static final AtomicIntegerArray ARRAY = new AtomicIntegerArray(2);
    static int late;
    static int byNumber;
    static int byLong;
    static int byBoolean;
    static int byArray;
    static int seen;

    static void writtenAfterwardsBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    LATE.incrementAndGet();
                    late = 1; //~ data-race
                },
                () -> {
                    LATE.incrementAndGet();
                    late++; //~ data-race
                });
    }

    static void writtenBeforeOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    byNumber = 1;
                    NUMBER.incrementAndGet();
                    byLong = 2;
                    LONG.set(1);
                    byBoolean = 3;
                    BOOLEAN.compareAndSet(false, true);
                    byArray = 4;
                    ARRAY.addAndGet(1, 1);
                    REFERENCE.set(new int[] {5});
                },
                () -> {
                    if (NUMBER.get() == 1) {
                        seen += byNumber;
                    }
                    if (LONG.getAndIncrement() == 1) {
                        seen += byLong;
                    }
                    if (BOOLEAN.get()) {
                        seen += byBoolean;
                    }
                    if (ARRAY.get(1) == 1) {
                        seen += byArray;
                    }
                    seen += REFERENCE.get()[0];
                });
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterwardsBad();
        writtenBeforeOk();
        System.out.println("Atomics " + late + " " + seen);
    }
}
