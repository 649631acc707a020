import java.util.concurrent.FutureTask;
import support.Invisible;

/** A FutureTask is a Runnable for the thread that runs it, and a Future for the one that waits. */
public class FutureTasks {
    static int meddled;
    static int handed;

    static void besideTheTaskBad() throws Exception {
        Invisible.restart();
        FutureTask<Integer> task = new FutureTask<>(() -> {
            meddled = 1; //~ data-race
            Invisible.step(0);
            return 1;
        });
        new Thread(task).start();
        Invisible.step(1);
        meddled++; //~ data-race
        task.get();
    }

    static void afterGetOk() throws Exception {
        FutureTask<Integer> task = new FutureTask<>(() -> handed = 1);
        new Thread(task).start();
        task.get();
        handed++;
    }

    public static void main(String[] args) throws Exception {
        besideTheTaskBad();
        afterGetOk();
        System.out.println("FutureTasks " + meddled + " " + handed);
    }
}
