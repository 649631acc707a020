package acme;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class OldTest {
    static int counter, late, alone;

    @Test
    public void twoThreads() throws InterruptedException {
        Thread other = new Thread(() -> counter++);
        other.start();
        counter++;
        other.join();
        assertTrue(counter > 0);
    }

    /** JUnit runs it in a thread of its own. */
    @Test(timeout = 60_000)
    public void inTime() throws InterruptedException {
        Thread other = new Thread(() -> late++);
        other.start();
        late++;
        other.join();
        assertTrue(late > 0);
    }

    @Test
    public void oneThread() {
        alone++;
        assertTrue(alone > 0);
    }
}
