package acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AccountTest {
    @Test
    void depositsOfTwoThreads() throws InterruptedException {
        Account account = new Account();
        Runnable deposit = () -> account.deposit(1);
        Thread one = new Thread(deposit, "one");
        Thread two = new Thread(deposit, "two");
        one.start();
        two.start();
        one.join();
        two.join();
        assertTrue(account.balance() > 0);
    }

    @Test
    void depositsOfOneThread() {
        Account account = new Account();
        account.deposit(1);
        assertTrue(account.balance() == 1);
    }
}
