import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import support.Threads;

/** offer() and poll() hand over only if they put something in and took something out. */
public class QueueOfferPoll {
    static final BlockingQueue<String> FULL = new ArrayBlockingQueue<>(1);
    static final BlockingQueue<String> EMPTY = new ArrayBlockingQueue<>(1);
    static final BlockingQueue<String> QUEUE = new ArrayBlockingQueue<>(1);
    static int polledNothing;
    static int polled;

    static void nothingPolledBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    polledNothing = 1; //~ data-race
                    FULL.offer("in the other queue");
                },
                () -> {
                    if (EMPTY.poll() == null) {
                        polledNothing++; //~ data-race
                    }
                });
    }

    static void polledOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    polled = 1;
                    QUEUE.offer("done");
                },
                () -> {
                    if (QUEUE.poll(20, TimeUnit.SECONDS) != null) {
                        polled++;
                    }
                });
    }

    public static void main(String[] args) throws InterruptedException {
        nothingPolledBad();
        polledOk();
        System.out.println("QueueOfferPoll " + polledNothing + " " + polled);
    }
}
