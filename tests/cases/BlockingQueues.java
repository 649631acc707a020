import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import support.Invisible;
import support.Threads;

/** A queue hands over what was written before put(), to whoever takes it out. */
public class BlockingQueues {
    static class LateLetter {
        int text;
    }

    static class Letter implements Delayed {
        int text;

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return 0;
        }
    }

    static final int[] SEEN = new int[8];

    static void writtenAfterPutBad() throws InterruptedException {
        BlockingQueue<LateLetter> queue = new LinkedBlockingQueue<>();
        Threads.run(
                () -> {
                    LateLetter letter = new LateLetter();
                    queue.put(letter);
                    letter.text = 3; //~ data-race
                    Invisible.step(0);
                },
                () -> {
                    LateLetter letter = queue.take();
                    Invisible.step(1);
                    SEEN[7] = letter.text; //~ data-race
                });
    }

    static void send(BlockingQueue<Letter> queue, int slot) throws InterruptedException {
        Threads.run(
                () -> {
                    Letter letter = new Letter();
                    letter.text = slot + 1;
                    queue.put(letter);
                },
                () -> {
                    Letter letter = queue.take();
                    letter.text++;
                    SEEN[slot] = letter.text;
                });
    }

    static void writtenBeforePutOk() throws InterruptedException {
        send(new ArrayBlockingQueue<>(1), 0);
        send(new LinkedBlockingQueue<>(), 1);
        send(new LinkedBlockingDeque<>(), 2);
        send(new SynchronousQueue<>(), 3);
        send(new LinkedTransferQueue<>(), 4);
        send(new PriorityBlockingQueue<>(), 5);
        send(new DelayQueue<>(), 6);
    }

    public static void main(String[] args) throws InterruptedException {
        writtenAfterPutBad();
        writtenBeforePutOk();
        int sum = 0;
        for (int seen : SEEN) {
            sum = sum * 10 + seen;
        }
        System.out.println("BlockingQueues " + sum);
    }
}
