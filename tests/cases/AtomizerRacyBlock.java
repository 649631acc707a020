import support.Threads;

/** A synchronized block that uses a variable twice which another thread uses without the lock. */
public class AtomizerRacyBlock {
    static final Object LOCK = new Object();
    static int checksum;
    static int guarded;

    static void twiceLocked() {
        Threads.pass();
        synchronized (LOCK) {
            checksum += 1; //~ data-race, non-atomic
            checksum += 2;
        }
        Threads.pass();
    }

    static void twiceGuarded() {
        synchronized (LOCK) {
            guarded += 1;
            guarded += 2;
        }
    }

    static void onceWithoutLockBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    checksum += 4; //~ data-race
                    Threads.pass();
                },
                AtomizerRacyBlock::twiceLocked,
                () -> {
                    Threads.pass();
                    checksum += 8;
                    Threads.pass();
                },
                AtomizerRacyBlock::twiceLocked);
    }

    static void alwaysLockedOk() throws InterruptedException {
        Threads.inTurn(
                AtomizerRacyBlock::twiceGuarded,
                AtomizerRacyBlock::twiceGuarded,
                AtomizerRacyBlock::twiceGuarded);
    }

    public static void main(String[] args) throws InterruptedException {
        onceWithoutLockBad();
        alwaysLockedOk();
        System.out.println("AtomizerRacyBlock " + checksum + " " + guarded);
    }
}
