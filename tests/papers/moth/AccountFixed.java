/** {@link Account} with a deposit in one block. */
public class AccountFixed {
    private int balance;

    synchronized int read() {
        return balance;
    }

    synchronized void deposit(int amount) {
        int old = read();
        balance = old + amount;
    }

    static class Teller extends Thread {
        private final AccountFixed account;

        Teller(AccountFixed account) {
            this.account = account;
        }

        @Override
        public void run() {
            for (int i = 0; i < 100; i++) {
                account.deposit(1);
                int seen = account.read();
                if (seen < 0) {
                    System.out.println("in debt: " + seen);
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        AccountFixed account = new AccountFixed();
        Teller one = new Teller(account);
        Teller two = new Teller(account);
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println(account.read() > 0);
    }
}
