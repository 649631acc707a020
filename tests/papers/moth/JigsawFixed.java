import java.util.HashMap;
import java.util.Map;

/** {@link Jigsaw} with a description in one block. */
public class JigsawFixed {
    static class Entry {
        private final String key;
        private int users;

        Entry(String key) {
            this.key = key;
        }

        synchronized void use() {
            users++;
        }

        synchronized int users() {
            return users;
        }

        String key() {
            return key;
        }
    }

    static class ResourceStoreManager {
        private boolean closed;
        private Map<String, Entry> entries = new HashMap<>();

        synchronized boolean isClosed() {
            return closed;
        }

        synchronized Map<String, Entry> entries() {
            return entries;
        }

        synchronized void shutdown() {
            closed = true;
            entries = null;
        }

        synchronized Entry lookup(String key) {
            if (closed) {
                return null;
            }
            Entry entry = entries.get(key);
            if (entry == null) {
                entry = new Entry(key);
                entries.put(key, entry);
            }
            entry.use();
            return entry;
        }

        synchronized int describe() {
            boolean gone = isClosed();
            Map<String, Entry> found = entries();
            return gone ? 0 : found == null ? -1 : 1;
        }
    }

    static class Request extends Thread {
        private final ResourceStoreManager manager;

        Request(ResourceStoreManager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                manager.lookup("page" + i);
            }
        }
    }

    static class Status extends Thread {
        private final ResourceStoreManager manager;
        private int seen;

        Status(ResourceStoreManager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            seen = manager.describe();
        }
    }

    static class Shutdown extends Thread {
        private final ResourceStoreManager manager;

        Shutdown(ResourceStoreManager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            manager.shutdown();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        ResourceStoreManager manager = new ResourceStoreManager();
        Request one = new Request(manager);
        Request two = new Request(manager);
        Status status = new Status(manager);
        Shutdown shutdown = new Shutdown(manager);
        one.start();
        two.start();
        status.start();
        shutdown.start();
        one.join();
        two.join();
        status.join();
        shutdown.join();
        System.out.println(status.seen < 2);
    }
}
