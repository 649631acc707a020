/** Four threads transfer money between accounts: whether there is enough is asked in one block, and the money is taken in another. */
public class StaleBank {
    static final class Account {
        private long balance = 1000;
        private int operations;

        long balance() {
            synchronized (this) {
                return balance;
            }
        }

        void change(long by) {
            synchronized (this) {
                balance += by;
                operations++;
            }
        }

        void set(long to) {
            synchronized (this) {
                balance = to;
                operations++;
            }
        }
    }

    static long scramble(long seed) {
        long state = seed;
        for (int i = 0; i < 20; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
        }
        return state;
    }

    static void transfer(Account from, Account to, long amount) {
        long before = from.balance();
        if (before >= amount) {
            from.set(before - amount);
            to.change(amount);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 2_000_000;
        Account[] accounts = new Account[64];
        for (int i = 0; i < accounts.length; i++) {
            accounts[i] = new Account();
        }
        long start = System.nanoTime();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            long seed = i + 1;
            threads[i] = new Thread(() -> {
                long state = seed;
                for (int time = 0; time < times; time++) {
                    state = scramble(state);
                    int from = (int) (state >>> 40) & 63;
                    int to = (int) (state >>> 50) & 63;
                    if (from != to) {
                        transfer(accounts[from], accounts[to], state >>> 20 & 15);
                    }
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long took = (System.nanoTime() - start) / 2_000_000;
        System.out.println("RESULT StaleBank ms=" + took + " sane=" + (accounts[0].balance() >= 0));
    }
}
