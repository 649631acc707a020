import java.lang.ref.Cleaner;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import support.Invisible;
import support.Threads;

/** A cleaning action comes after it was registered, and whoever takes a reference from a queue after it was put there. */
public class References {
    static final Cleaner CLEANER = Cleaner.create();

    static class ActionOk implements Runnable {
        int value;

        @Override
        public void run() {
            value++;
        }
    }

    static class ActionBad implements Runnable {
        int value;

        @Override
        public void run() {
            value++; //~ data-race
        }
    }

    static class Noted extends WeakReference<Object> {
        int before;
        int after;

        Noted(Object to, ReferenceQueue<Object> queue) {
            super(to, queue);
        }
    }

    static void registeredOk() throws InterruptedException {
        ActionOk action = new ActionOk();
        action.value = 1;
        Threads.run(() -> CLEANER.register(new Object(), action));
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(20);
        }
    }

    static void changedAfterwardsBad() throws InterruptedException {
        ActionBad action = new ActionBad();
        Object object = new Object();
        Cleaner.Cleanable cleanable = CLEANER.register(object, action);
        Threads.inTurn(() -> action.value = 1, cleanable::clean); //~ data-race
    }

    static int queue() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        Noted reference = new Noted(new Object(), queue);
        Threads.run(() -> {
            reference.before = 1;
            reference.enqueue();
            reference.after = 1; //~ data-race
            Invisible.step(0);
        }, () -> {
            Invisible.step(1);
            Noted taken = (Noted) queue.remove();
            taken.before++;
            taken.after++; //~ data-race
        });
        return reference.before + reference.after;
    }

    public static void main(String[] args) throws InterruptedException {
        registeredOk();
        changedAfterwardsBad();
        System.out.println("References " + queue());
    }
}
