import support.Threads;

/** A static synchronized method takes the lock of the class, an instance method that of the object. */
public class StaticSynchronized {
    static int mixed;
    static int same;

    static synchronized void mixedStatic() {
        mixed = 1; //~ data-race
    }

    synchronized void mixedInstance() {
        mixed = 2; //~ data-race
    }

    static synchronized void sameStatic() {
        same++;
    }

    void sameClassLock() {
        synchronized (StaticSynchronized.class) {
            same++;
        }
    }

    static void classAndObjectLockBad() throws InterruptedException {
        StaticSynchronized object = new StaticSynchronized();
        Threads.inTurn(StaticSynchronized::mixedStatic, object::mixedInstance);
    }

    static void classLockOk() throws InterruptedException {
        StaticSynchronized object = new StaticSynchronized();
        Threads.inTurn(StaticSynchronized::sameStatic, object::sameClassLock);
    }

    public static void main(String[] args) throws InterruptedException {
        classAndObjectLockBad();
        classLockOk();
        System.out.println("StaticSynchronized " + mixed + " " + same);
    }
}
