import support.Threads;

/**
 * An object goes to another thread under a lock, and is used there without it. Everybody may read its final field
 * once the constructor has ended; a plain one only for those who hold a common lock or were handed it.
 */
public class FinalField {
    static class Plain {
        int value;

        Plain(int value) {
            this.value = value; //~ data-race
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

    static void plainFieldBad() throws InterruptedException {
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
                    plainSeen = mine.value; //~ data-race
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
        plainFieldBad();
        finalFieldOk();
        System.out.println("FinalField " + plainSeen + " " + sealedSeen);
    }
}
