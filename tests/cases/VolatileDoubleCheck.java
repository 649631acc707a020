import support.Threads;

/**
 * Double-checked locking on a volatile field is right. By the paper's rule no volatile access moves, so its block, which
 * uses one twice, is reported; but every write is under the lock, and so is the read inside.
 */
public class VolatileDoubleCheck {
    static final class Instance {
        int value = 6; //~ paper data-race
    }

    static volatile Instance instance;

    static Instance instance() {
        if (instance == null) {
            synchronized (VolatileDoubleCheck.class) {
                if (instance == null) {
                    instance = new Instance(); //~ paper non-atomic
                }
            }
        }
        return instance;
    }

    static void look() {
        if (instance().value != 6) {
            throw new AssertionError();
        }
    }

    static void volatileFieldOk() throws InterruptedException {
        Threads.inTurn(VolatileDoubleCheck::look, VolatileDoubleCheck::look);
    }

    public static void main(String[] args) throws InterruptedException {
        volatileFieldOk();
        System.out.println("VolatileDoubleCheck done");
    }
}
