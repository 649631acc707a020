package acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerTest {
    /** What two threads use. */
    static class Ledger {
        int entries;
        int opened;
    }

    private Ledger ledger;

    @BeforeEach
    void open() {
        ledger = new Ledger();
        ledger.opened = 1;
    }

    @AfterEach
    void close() {
        ledger = null;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void entriesOfTwoThreads(int count) throws InterruptedException {
        Ledger mine = ledger;
        Thread other = new Thread(() -> mine.entries += count, "clerk");
        other.start();
        mine.entries += count;
        other.join();
        assertTrue(mine.entries > 0);
    }
}
