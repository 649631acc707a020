package acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewTest {
    static int one, two, repeated, given, prepared;

    static class Left {}

    static class Right {}

    private static void race(Runnable count) throws InterruptedException {
        Thread other = new Thread(count);
        other.start();
        count.run();
        other.join();
    }

    @BeforeAll
    static void prepare() throws InterruptedException {
        race(() -> prepared++);
    }

    @Test
    void plain() throws InterruptedException {
        race(() -> one++);
    }

    @Test
    void together() throws InterruptedException {
        race(() -> two++);
    }

    @RepeatedTest(2)
    void again() throws InterruptedException {
        race(() -> repeated++);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void withArguments(String argument) throws InterruptedException {
        race(() -> given += argument.length());
    }

    /** Found only at the end of the run, when no test runs any more. */
    @Test
    void lockOrder() throws InterruptedException {
        Left left = new Left();
        Right right = new Right();
        Thread other = new Thread(() -> {
            synchronized (left) {
                synchronized (right) {
                    assertTrue(true);
                }
            }
        });
        other.start();
        // Not by asking the thread itself, which would keep the two apart.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        while (threads.getThreadInfo(other.getId()) != null) Thread.sleep(1);
        synchronized (right) {
            synchronized (left) {
                assertTrue(true);
            }
        }
        other.join();
    }
}
