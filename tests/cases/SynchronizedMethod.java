import support.Threads;

/** Synchronized methods take the lock of the object. */
public class SynchronizedMethod {
    static class Half {
        int balance;

        synchronized void deposit() {
            balance = 10; //~ data-race
        }

        void withdraw() {
            balance -= 3; //~ data-race
        }
    }

    static class Whole {
        int balance;

        synchronized void deposit() {
            balance += 10;
        }

        synchronized void withdraw() {
            balance -= 3;
        }
    }

    static int withdrawWithoutLockBad() throws InterruptedException {
        Half account = new Half();
        Threads.inTurn(account::deposit, account::withdraw);
        return account.balance;
    }

    static int bothLockedOk() throws InterruptedException {
        Whole account = new Whole();
        Threads.inTurn(account::deposit, account::withdraw);
        return account.balance;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("SynchronizedMethod " + withdrawWithoutLockBad() + " " + bothLockedOk());
    }
}
