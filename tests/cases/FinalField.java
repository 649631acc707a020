import support.Threads;

/**
 * An object goes to another thread under a lock, and is used there without it. Everybody may read its final field
 * once the constructor has ended, and a plain one those who found the object under the lock under which it was made.
 */
public class FinalField {
    static class Plain {
        int value;

        Plain(int value) {
            this.value = value;
        }
    }

    static class Sealed {
        final int value;

        Sealed(int value) {
            this.value = value;
        }
    }

    static final Object LOCK = new Object();
    static Plain plain;
    static Sealed sealed;
    static int plainSeen;
    static int sealedSeen;

    static void plainFieldOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (LOCK) {
                        plain = new Plain(3);
                    }
                },
                () -> {
                    Plain mine;
                    synchronized (LOCK) {
                        mine = plain;
                    }
                    plainSeen = mine.value;
                });
    }

    static void finalFieldOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    synchronized (LOCK) {
                        sealed = new Sealed(4);
                    }
                },
                () -> {
                    Sealed mine;
                    synchronized (LOCK) {
                        mine = sealed;
                    }
                    sealedSeen = mine.value;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        plainFieldOk();
        finalFieldOk();
        System.out.println("FinalField " + plainSeen + " " + sealedSeen);
    }
}
