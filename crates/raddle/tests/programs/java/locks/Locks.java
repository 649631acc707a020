import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import support.Threads;

/** Cycles of locks whose classes say nothing: each is one of its own, known by the fields that hold the locks. */
public class Locks {
    static final Object FIRST = new Object();
    static final Object SECOND = new Object();

    static final class Pair {
        private final Object left = new Object();
        private final Object right = new Object();

        void there() {
            synchronized (left) {
                synchronized (right) {
                    Thread.onSpinWait();
                }
            }
        }

        void back() {
            Object held = right;
            synchronized (held) {
                synchronized (left) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    static final class Guarded {
        private final ReentrantReadWriteLock table = new ReentrantReadWriteLock();
        private final Lock log = new ReentrantLock();

        void there() {
            table.writeLock().lock();
            log.lock();
            log.unlock();
            table.writeLock().unlock();
        }

        void back() {
            log.lock();
            table.readLock().lock();
            table.readLock().unlock();
            log.unlock();
        }
    }

    static final class One {
        static synchronized void there() {
            Other.alone();
        }

        static synchronized void alone() {
            Thread.onSpinWait();
        }
    }

    static final class Other {
        static void back() {
            synchronized (Other.class) {
                One.alone();
            }
        }

        static synchronized void alone() {
            Thread.onSpinWait();
        }
    }

    static void there() {
        synchronized (FIRST) {
            synchronized (SECOND) {
                Thread.onSpinWait();
            }
        }
    }

    static void back() {
        synchronized (SECOND) {
            synchronized (FIRST) {
                Thread.onSpinWait();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Pair pair = new Pair();
        Guarded guarded = new Guarded();
        Threads.inTurn(Locks::there, Locks::back);
        Threads.inTurn(pair::there, pair::back);
        Threads.inTurn(guarded::there, guarded::back);
        Threads.inTurn(One::there, Other::back);
        System.out.println("done");
    }
}
