import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import support.Threads;

/**
 * A compare-and-set that fails writes nothing, so it hands nothing over. One that succeeds does.
 */
public class VarHandleFailedUpdate {
    int state;
    int free;
    int lost;
    int kept;

    static final VarHandle STATE = handle("state");
    static final VarHandle FREE = handle("free");

    static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(VarHandleFailedUpdate.class, field, int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static int failedBad() throws InterruptedException {
        VarHandleFailedUpdate shared = new VarHandleFailedUpdate();
        Threads.inTurn(
                () -> {
                    shared.lost = 1; //~ data-race
                    STATE.compareAndSet(shared, 5, 6);
                },
                () -> {
                    STATE.getVolatile(shared);
                    shared.lost++; //~ data-race
                });
        return shared.lost;
    }

    static int succeededOk() throws InterruptedException {
        VarHandleFailedUpdate shared = new VarHandleFailedUpdate();
        Threads.inTurn(
                () -> {
                    shared.kept = 1;
                    FREE.compareAndSet(shared, 0, 6);
                },
                () -> {
                    FREE.getVolatile(shared);
                    shared.kept++;
                });
        return shared.kept;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("VarHandleFailedUpdate " + failedBad() + " " + succeededOk());
    }
}
