/**
 * A bank account as in von Praun and Gross, "Static detection of atomicity violations in object-oriented programs": every
 * access is synchronized, but a deposit reads the balance in one block and writes it in the next.
 */
public class Account {
    private int balance;

    synchronized int read() {
        return balance;
    }

    void deposit(int amount) {
        int old = read();
        synchronized (this) {
            balance = old + amount; //~ stale-value
        }
    }

    static class Teller extends Thread {
        private final Account account;

        Teller(Account account) {
            this.account = account;
        }

        @Override
        public void run() {
            for (int i = 0; i < 100; i++) {
                account.deposit(1);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Account account = new Account();
        Teller one = new Teller(account);
        Teller two = new Teller(account);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(account.read() > 0);
    }
}
