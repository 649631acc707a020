import java.lang.reflect.Field;
import support.Threads;
import sun.misc.Unsafe;

/** sun.misc.Unsafe reaches fields by their offset: volatile accesses hand over, plain ones do not. */
@SuppressWarnings({"deprecation", "removal"})
public class UnsafeAccess {
    static final Unsafe UNSAFE = unsafe();
    static final long LATE_FLAG = offset("lateFlag");
    static final long FLAG = offset("flag");
    static final long STATE = offset("state");

    int lateFlag;
    int flag;
    int state;
    int late;
    int early;
    int swapped;

    static Unsafe unsafe() {
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static long offset(String field) {
        try {
            return UNSAFE.objectFieldOffset(UnsafeAccess.class.getDeclaredField(field));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static int writtenAfterwardsBad() throws InterruptedException {
        UnsafeAccess shared = new UnsafeAccess();
        Threads.inTurn(
                () -> {
                    UNSAFE.putIntVolatile(shared, LATE_FLAG, 1);
                    shared.late = 1; //~ data-race
                },
                () -> shared.late += UNSAFE.getIntVolatile(shared, LATE_FLAG)); //~ data-race
        return shared.late;
    }

    static int writtenBeforeOk() throws InterruptedException {
        UnsafeAccess shared = new UnsafeAccess();
        Threads.inTurn(
                () -> {
                    shared.early = 1;
                    UNSAFE.putIntVolatile(shared, FLAG, 1);
                    shared.swapped = 2;
                    UNSAFE.compareAndSwapInt(shared, STATE, 0, 1);
                },
                () -> {
                    int flag = UNSAFE.getIntVolatile(shared, FLAG);
                    shared.early += flag;
                    int state = UNSAFE.getIntVolatile(shared, STATE);
                    shared.swapped += state;
                });
        return shared.early + shared.swapped;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("UnsafeAccess " + writtenAfterwardsBad() + " " + writtenBeforeOk());
    }
}
