import java.util.HashMap;
import java.util.Map;

/**
 * The resource store manager of the web server Jigsaw as von Praun and Gross describe it: entries are looked up in one
 * block, and whether the manager still runs is asked in another, while a shutdown closes it and throws the entries away in
 * one.
 */
public class Jigsaw {
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

        int describe() {
            boolean gone = isClosed();
            Map<String, Entry> found = entries(); //~ high-level-race
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
