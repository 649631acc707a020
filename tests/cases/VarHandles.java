import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import support.Invisible;
import support.Threads;

/** A VarHandle can use one field in several ways: plainly, as volatile, by acquire and release, by compare-and-set. */
public class VarHandles {
    int plain;
    int ready;
    int released;
    int state;
    int[] data = new int[3];

    static final VarHandle PLAIN = handle("plain");
    static final VarHandle READY = handle("ready");
    static final VarHandle RELEASED = handle("released");
    static final VarHandle STATE = handle("state");

    static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(VarHandles.class, field, int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static int plainModeBad() throws InterruptedException {
        VarHandles shared = new VarHandles();
        Threads.inTurn(
                () -> PLAIN.set(shared, 1), //~ data-race
                () -> PLAIN.set(shared, (int) PLAIN.get(shared) + 1)); //~ data-race
        return shared.plain;
    }

    void take(int index, int ready) {
        if (ready != 1) {
            throw new IllegalStateException("the order was not kept");
        }
        data[index]++;
    }

    static int orderedModesOk() throws InterruptedException {
        VarHandles shared = new VarHandles();
        Threads.run(
                () -> {
                    shared.data[0] = 1;
                    READY.setVolatile(shared, 1);
                    shared.data[1] = 2;
                    RELEASED.setRelease(shared, 1);
                    shared.data[2] = 3;
                    STATE.compareAndSet(shared, 0, 1);
                    Invisible.step(0);
                },
                () -> {
                    Invisible.step(1);
                    shared.take(0, (int) READY.getVolatile(shared));
                    shared.take(1, (int) RELEASED.getAcquire(shared));
                    shared.take(2, (int) STATE.compareAndExchange(shared, 1, 2));
                });
        return shared.data[0] + shared.data[1] + shared.data[2];
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("VarHandles " + plainModeBad() + " " + orderedModesOk());
    }
}
