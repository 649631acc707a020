package acme;

import junit.framework.TestCase;

public class OlderTest extends TestCase {
    static int counter;

    public void testTwoThreads() throws InterruptedException {
        Thread other = new Thread(() -> counter++);
        other.start();
        counter++;
        other.join();
        assertTrue(counter > 0);
    }
}
