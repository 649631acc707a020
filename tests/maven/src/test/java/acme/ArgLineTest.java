package acme;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ArgLineTest {
    /** The user's own arguments for the forked JVM are still there. */
    @Test
    void heapIsAsAskedFor() {
        assertTrue(Runtime.getRuntime().maxMemory() <= 256 << 20);
    }
}
