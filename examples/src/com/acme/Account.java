package com.acme;

/** A bank account. What happened to it in a run stands in {@code examples/account.txt}. */
final class Account {
    private int balance;

    /** Opens an account. */
    Account(int balance) {
        this.balance = balance;
    }

    /**
     * Pays in.
     */
    synchronized void deposit(int amount) {
        balance = balance + amount;
    }

    /**
     * Draws. The word synchronized is missing, and that is the defect.
     */

    void withdraw(int amount) {
        balance = balance - amount;
    }

    /** How much there is. */
    int balance() {
        return balance;
    }
}
