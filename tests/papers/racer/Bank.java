/**
 * The bank of section 6 of "Racer": eight tellers make random transfers and yield after each. Balances are kept under the accounts'
 * locks. Two setters change what all tellers use without a lock, while they run. Five other fields are set in constructors
 * without a lock, which only the paper takes for races.
 */
public class Bank {
    static final int ACCOUNTS = 5;
    static final int TELLERS = 8;
    static final int TRANSFERS = 15;
    static final int START = 100;

    static class Account {
        private int number;
        private int balance;
        private int entries;

        Account(int number, int balance) {
            this.number = number; //~ paper data-race
            this.balance = balance; //~ paper data-race
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

    Bank() {
        accounts = new Account[ACCOUNTS]; //~ paper data-race
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts[i] = new Account(i, START);
        }
    }

    void setLimit(int value) {
        limit = value; //~ data-race
    }

    void setMotto(String value) {
        motto = value; //~ data-race
    }

    Account account(int number) {
        return accounts[number];
    }

    void transfer(Account from, Account to, int wanted) {
        int most = limit;
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

    void greet() {
        int length = motto == null ? 0 : motto.length();
        synchronized (this) {
            greeted += length;
        }
    }

    int total() {
        int total = 0;
        for (Account account : accounts) {
            total += account.balance();
        }
        return total;
    }

    static class Teller extends Thread {
        private Bank bank;
        private int seed;
        private int done;

        Teller(Bank bank, int number) {
            super("teller-" + number);
            this.bank = bank; //~ paper data-race
            this.seed = number * 7919 + 1; //~ paper data-race
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
        Bank bank = new Bank();
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
        System.out.println("Bank " + bank.total());
    }
}
