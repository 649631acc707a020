import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import support.Threads;

/**
 * A concurrent collection compares what it is given with what other threads have put in, while the call still runs. What
 * they did before they put it in comes before that; what they do to it afterwards does not.
 */
public class KeysCompared {
    static final class Key implements Comparable<Key> {
        int number;

        Key(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key && ((Key) other).number == number;
        }

        @Override
        public int compareTo(Key other) {
            return Integer.compare(number, other.number);
        }
    }

    static final class Task implements Delayed {
        long due;

        Task(long due) {
            this.due = due;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(due, ((Task) other).due);
        }
    }

    static final class Changed {
        int number;

        Changed(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Changed && ((Changed) other).number == number; //~ data-race
        }
    }

    static String lookUpOk(ConcurrentMap<Key, String> map) throws InterruptedException {
        String[] found = new String[1];
        Threads.inTurn(() -> map.put(new Key(1), "one"), () -> found[0] = map.get(new Key(1)));
        return found[0];
    }

    static int putOk(ConcurrentMap<Key, String> map) throws InterruptedException {
        Threads.inTurn(() -> map.put(new Key(1), "one"), () -> map.putIfAbsent(new Key(2), "two"));
        return map.size();
    }

    static int offerOk(Queue<Key> queue) throws InterruptedException {
        Threads.inTurn(() -> queue.offer(new Key(2)), () -> queue.offer(new Key(1)));
        return queue.size();
    }

    static int containsOk(Queue<Key> queue) throws InterruptedException {
        Threads.inTurn(() -> queue.offer(new Key(2)), () -> queue.contains(new Key(2)));
        return queue.size();
    }

    static int delayOk() throws InterruptedException {
        DelayQueue<Task> queue = new DelayQueue<>();
        Threads.inTurn(() -> queue.add(new Task(2)), () -> queue.add(new Task(1)));
        return queue.size();
    }

    static String changedBad() throws InterruptedException {
        ConcurrentMap<Changed, String> map = new ConcurrentHashMap<>();
        Changed key = new Changed(1);
        String[] found = new String[1];
        Threads.inTurn(
                () -> {
                    map.put(key, "one");
                    key.number = 2; //~ data-race
                },
                () -> found[0] = map.get(new Changed(2)));
        return found[0];
    }

    public static void main(String[] args) throws InterruptedException {
        String found = lookUpOk(new ConcurrentHashMap<>()) + " " + lookUpOk(new ConcurrentSkipListMap<>());
        int put = putOk(new ConcurrentHashMap<>()) + putOk(new ConcurrentSkipListMap<>());
        int queued = offerOk(new PriorityBlockingQueue<>()) + containsOk(new PriorityBlockingQueue<>())
                + containsOk(new java.util.concurrent.LinkedBlockingQueue<>()) + delayOk();
        System.out.println("KeysCompared " + found + " " + put + " " + queued + " " + changedBad());
    }
}
