package com.acme;

/** An account whose withdraw() forgets the lock. */
public class Account {
    private int balance;
    private String owner;

    Account(int balance) {
        this.balance = balance;
    }

    int number() { return 7; }

    /** Pays in. */
    synchronized void deposit(int amount) {
        balance = balance + amount;
    }

    /** Draws; the word synchronized is missing. */
    // A tab	and a wide 漢字 do not shift the marks.


    void withdraw(int amount) {
	balance = balance - amount;
    }
}
