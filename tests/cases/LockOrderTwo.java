import support.Threads;

/** Two threads that take two locks in different orders can block each other for ever, though here they did not. */
public class LockOrderTwo {
    static final class Account {
        int balance = 10;

        void transferTo(Account other) {
            synchronized (this) {
                synchronized (other) { //~ lock-order
                    balance--;
                    other.balance++;
                }
            }
        }
    }

    static final class OrderedAccount {
        int balance = 10;
    }

    static void transfer(OrderedAccount first, OrderedAccount second, int amount) {
        synchronized (first) {
            synchronized (second) {
                first.balance -= amount;
                second.balance += amount;
            }
        }
    }

    static int bothWaysBad() throws InterruptedException {
        Account left = new Account();
        Account right = new Account();
        Threads.inTurn(() -> left.transferTo(right), () -> right.transferTo(left));
        return left.balance;
    }

    static int oneOrderOk() throws InterruptedException {
        OrderedAccount left = new OrderedAccount();
        OrderedAccount right = new OrderedAccount();
        Threads.inTurn(() -> transfer(left, right, 3), () -> transfer(left, right, -4));
        return left.balance;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("LockOrderTwo " + bothWaysBad() + " " + oneOrderOk());
    }
}
