package com.acme;

import java.util.List;

public class Stock {
    private List<String> items;

    // The lock is given up between looking and taking.








    boolean take(int wanted) {
        int there;
        synchronized (this) {
            there = items.size();
        }
        log(there);

        synchronized (this) {
            if (there >= wanted)
                items = items.subList(wanted, there);
        }
        return there >= wanted;
    }
}
