/** The bank of Bank; limit and motto are set and asked for under its lock. */
public class BankFixed {
    static final int ACCOUNTS = 5;
    static final int TELLERS = 8;
    static final int TRANSFERS = 15;
    static final int START = 100;

    static class Account {
        private int number;
        private int balance;
        private int entries;

        Account(int number, int balance) {
            this.number = number;
            this.balance = balance;
        }

        boolean isBefore(Account other) {
            return number < other.number;
        }

        synchronized void deposit(int amount) {
            balance += amount;
            entries++;
        }

        synchronized boolean withdraw(int amount) {
            if (balance < amount) {
                return false;
            }
            balance -= amount;
            entries++;
            return true;
        }

        synchronized int balance() {
            return balance;
        }
    }

    private Account[] accounts;
    private int limit;
    private String motto;
    private int refused;
    private int greeted;

    BankFixed() {
        accounts = new Account[ACCOUNTS];
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts[i] = new Account(i, START);
        }
    }

    synchronized void setLimit(int value) {
        limit = value;
    }

    synchronized void setMotto(String value) {
        motto = value;
    }

    private synchronized int limit() {
        return limit;
    }

    Account account(int number) {
        return accounts[number];
    }

    void transfer(Account from, Account to, int wanted) {
        int most = limit();
        int amount = most > 0 ? Math.min(wanted, most) : wanted;
        Account first = from.isBefore(to) ? from : to;
        Account second = first == from ? to : from;
        synchronized (first) {
            synchronized (second) {
                if (from.withdraw(amount)) {
                    to.deposit(amount);
                } else {
                    refuse();
                }
            }
        }
    }

    private synchronized void refuse() {
        refused++;
    }

    synchronized void greet() {
        greeted += motto == null ? 0 : motto.length();
    }

    int total() {
        int total = 0;
        for (Account account : accounts) {
            total += account.balance();
        }
        return total;
    }

    static class Teller extends Thread {
        private BankFixed bank;
        private int seed;
        private int done;

        Teller(BankFixed bank, int number) {
            super("teller-" + number);
            this.bank = bank;
            this.seed = number * 7919 + 1;
        }

        private int random(int below) {
            seed = seed * 1103515245 + 12345;
            return (seed >>> 16) % below;
        }

        @Override
        public void run() {
            for (int i = 0; i < TRANSFERS; i++) {
                int from = random(ACCOUNTS);
                int to = (from + 1 + random(ACCOUNTS - 1)) % ACCOUNTS;
                bank.greet();
                bank.transfer(bank.account(from), bank.account(to), random(40));
                done++;
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BankFixed bank = new BankFixed();
        Teller[] tellers = new Teller[TELLERS];
        for (int i = 0; i < TELLERS; i++) {
            tellers[i] = new Teller(bank, i);
            tellers[i].start();
        }
        bank.setLimit(20);
        bank.setMotto("We care.");
        for (Teller teller : tellers) {
            teller.join();
        }
        System.out.println("BankFixed " + bank.total());
    }
}
