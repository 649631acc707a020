import support.Invisible;
import support.Threads;

/** A constructor that lets `this` escape takes the promise back: its final field is seen before it is set. */
public class FinalFieldEscape {
    static final Object LOCK = new Object();
    static Leaky leaked;
    static Tight passed;
    static int leakedSeen;
    static int passedSeen;

    static class Leaky {
        final int value;

        Leaky() {
            synchronized (LOCK) {
                leaked = this;
            }
            Invisible.step(0);
            Invisible.step(2);
            Threads.pass();
            value = 42; //~ data-race
        }
    }

    static class Tight {
        final int value;

        Tight() {
            value = 42;
        }
    }

    static void thisEscapesBad() throws InterruptedException {
        Threads.run(
                Leaky::new,
                () -> {
                    Leaky mine;
                    Invisible.await(1);
                    synchronized (LOCK) {
                        mine = leaked;
                    }
                    leakedSeen = mine.value; //~ data-race
                    Threads.pass();
                    Invisible.step(1);
                });
    }

    static void passedOnWhenDoneOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    Tight done = new Tight();
                    synchronized (LOCK) {
                        passed = done;
                    }
                },
                () -> {
                    Tight mine;
                    synchronized (LOCK) {
                        mine = passed;
                    }
                    passedSeen = mine.value;
                });
    }

    public static void main(String[] args) throws InterruptedException {
        thisEscapesBad();
        passedOnWhenDoneOk();
        System.out.println("FinalFieldEscape " + leakedSeen + " " + passedSeen);
    }
}
