import support.Invisible;

/** A subclass of Thread, whose own fields carry its task and its result. */
public class ThreadSubclass {
    static class Meddled extends Thread {
        int input;
        int output;

        @Override
        public void run() {
            Invisible.step(1);
            output = input + 1; //~ data-race
        }
    }

    static class Left extends Thread {
        int input;
        int output;

        @Override
        public void run() {
            output = input + 1;
        }
    }

    static int inputAfterStartBad() throws InterruptedException {
        Invisible.restart();
        Meddled worker = new Meddled();
        worker.start();
        worker.input = 4; //~ data-race
        Invisible.step(0);
        worker.join();
        return worker.output;
    }

    static int inputBeforeStartOk() throws InterruptedException {
        Left worker = new Left();
        worker.input = 6;
        worker.start();
        worker.join();
        return worker.output;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("ThreadSubclass " + inputAfterStartBad() + " " + inputBeforeStartOk());
    }
}
