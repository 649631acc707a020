import java.util.concurrent.locks.ReentrantLock;
import support.Invisible;
import support.Threads;

/** Values that are kept from one locked block to the next, and used. The order is forced where nobody sees it. */
public class Stale {
    /** Somebody writes between the read and the use: what it wrote is lost. */
    static class Seen {
        static class Data {
            int n;
        }

        final Object lock = new Object();
        final Data data = new Data();

        void add() {
            int old;
            synchronized (lock) {
                old = data.n;
            }
            Invisible.step(0);
            Invisible.await(2);
            synchronized (lock) {
                data.n = old + 1; //~ seen stale-value
            }
        }

        void set() {
            Invisible.await(1);
            synchronized (lock) {
                data.n = 10;
            }
            Invisible.step(1);
        }
    }

    /** The same, but the other thread happens to write later. */
    static class Unseen {
        final Object lock = new Object();
        int n;

        void add() {
            int old;
            synchronized (lock) {
                old = n;
            }
            synchronized (lock) {
                n = old + 1; //~ unseen stale-value
            }
        }

        void set() {
            synchronized (lock) {
                n = 10;
            }
        }
    }

    /** A getter and a setter make no increment. */
    static class Account {
        private int balance;

        synchronized int get() {
            return balance;
        }

        synchronized void set(int to) {
            balance = to;
        }

        void add() {
            int old = get();
            Invisible.step(0);
            Invisible.await(2);
            set(old + 1); //~ seen stale-value
        }

        void reset() {
            Invisible.await(1);
            set(0);
            Invisible.step(1);
        }
    }

    /** The outer lock is held all the time, but the other thread takes the inner one alone. */
    static class Nested {
        final Object outer = new Object();
        final Object inner = new Object();
        int n;

        void add() {
            synchronized (outer) {
                int old;
                synchronized (inner) {
                    old = n;
                }
                Invisible.step(0);
                Invisible.await(2);
                synchronized (inner) {
                    n = old + 1; //~ seen stale-value
                }
            }
        }

        void set() {
            Invisible.await(1);
            synchronized (inner) {
                n = 10;
            }
            Invisible.step(1);
        }
    }

    /** While it waits, the lock is everybody's. */
    static class Waits {
        int n;
        boolean told;

        synchronized void add() throws InterruptedException {
            int old = n;
            while (!told) {
                wait();
            }
            n = old + 1; //~ seen stale-value
        }

        void set() throws InterruptedException {
            while (!waits()) {
                Thread.sleep(1);
            }
            synchronized (this) {
                n = 10;
                told = true;
                notifyAll();
            }
        }

        Thread adder;

        synchronized boolean waits() {
            return adder != null && adder.getState() == Thread.State.WAITING;
        }
    }

    /** A lock that is no monitor, and a static field. */
    static class Lock {
        static final ReentrantLock LOCK = new ReentrantLock();
        static int n;

        static void add() {
            LOCK.lock();
            int old = n;
            LOCK.unlock();
            Invisible.step(0);
            Invisible.await(2);
            LOCK.lock();
            n = old + 1; //~ seen stale-value
            LOCK.unlock();
        }

        static void set() {
            Invisible.await(1);
            LOCK.lock();
            n = 10;
            LOCK.unlock();
            Invisible.step(1);
        }
    }

    /** A volatile field is no better. */
    static class Volatile {
        final Object lock = new Object();
        volatile int n;

        void add() {
            int old;
            synchronized (lock) {
                old = n;
            }
            Invisible.step(0);
            Invisible.await(2);
            synchronized (lock) {
                n = old + 1; //~ seen stale-value
            }
        }

        void set() {
            Invisible.await(1);
            synchronized (lock) {
                n = 10;
            }
            Invisible.step(1);
        }
    }

    /** All of it in one block: nothing is lost. */
    static class Fixed {
        final Object lock = new Object();
        int n;

        void add() {
            synchronized (lock) {
                int old = n;
                n = old + 1;
            }
        }

        void set() {
            synchronized (lock) {
                n = 10;
            }
        }
    }

    /** Looks again before it writes. */
    static class Again {
        final Object lock = new Object();
        int n;

        void add() {
            while (true) {
                int old;
                synchronized (lock) {
                    old = n;
                }
                int sum = old + 1;
                synchronized (lock) {
                    if (n == old) {
                        n = sum;
                        return;
                    }
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Seen seen = new Seen();
        Threads.run(seen::add, seen::set);
        Unseen unseen = new Unseen();
        Threads.inTurn(unseen::add, unseen::set);
        Account account = new Account();
        Threads.run(account::add, account::reset);
        Nested nested = new Nested();
        Threads.run(nested::add, nested::set);
        Waits waits = new Waits();
        Threads.run(() -> {
            synchronized (waits) {
                waits.adder = Thread.currentThread();
            }
            waits.add();
        }, waits::set);
        Threads.run(Lock::add, Lock::set);
        Volatile vol = new Volatile();
        Threads.run(vol::add, vol::set);
        Fixed fixed = new Fixed();
        Threads.run(fixed::add, fixed::add, fixed::set);
        Again again = new Again();
        Threads.run(again::add, again::add);
        System.out.println(seen.data.n + " " + unseen.n + " " + account.get() + " " + nested.n + " " + waits.n + " "
                + Lock.n + " " + vol.n + " " + again.n);
    }
}
