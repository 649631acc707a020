import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import support.Invisible;

/**
 * A small web server in the manner of Jigsaw, after section 5 of "Atomizer": requests wait in a queue, workers answer them from
 * resource stores, which a manager loads when they are asked for first. `loadResourceStore` asks whether the manager is
 * closed in one block and puts the store in with another: a store may get in after the shutdown has thrown all of them
 * out. The method is not synchronized itself, so that reduction finds it only among exported methods.
 */
public class WebServer {
    static final int WORKERS = 3;
    static final int REQUESTS = 24;

    static final class Resource {
        private final String path;
        private final String text;

        Resource(String path, String text) {
            this.path = path;
            this.text = text;
        }

        String path() {
            return path;
        }

        String text() {
            return text;
        }
    }

    /** The resources of one folder. */
    static class ResourceStore {
        private final String folder;
        private final Map<String, Resource> resources = new HashMap<>();
        private boolean open = true;
        private int hits;

        ResourceStore(String folder) {
            this.folder = folder;
            for (int i = 0; i < 4; i++) {
                String path = folder + "/page" + i;
                resources.put(path, new Resource(path, "This is " + path + "."));
            }
        }

        public synchronized Resource find(String path) {
            if (!open) {
                return null;
            }
            hits++;
            return resources.get(path);
        }

        public synchronized void close() {
            open = false;
            resources.clear();
        }

        public synchronized int hits() {
            return hits;
        }

        String folder() {
            return folder;
        }
    }

    static class ResourceStoreManager {
        private final Map<String, ResourceStore> stores = new HashMap<>();
        private boolean closed;
        private int loaded;

        private synchronized boolean isClosed() {
            return closed;
        }

        private synchronized ResourceStore lookup(String folder) {
            return stores.get(folder);
        }

        private synchronized ResourceStore enter(ResourceStore store) {
            ResourceStore before = stores.putIfAbsent(store.folder(), store);
            loaded++;
            return before == null ? store : before;
        }

        /** The store of a folder; null after the shutdown. */
        public ResourceStore loadResourceStore(String folder) {
            if (isClosed()) {
                return null;
            }
            ResourceStore store = lookup(folder); //~ high-level-race, export non-atomic
            if (store == null) {
                store = enter(new ResourceStore(folder));
            }
            return store;
        }

        public int shutdown() {
            List<ResourceStore> closing;
            synchronized (this) {
                closed = true;
                closing = new ArrayList<>(stores.values());
                stores.clear();
            }
            for (ResourceStore store : closing) {
                store.close();
            }
            return closing.size();
        }

        public synchronized int loaded() {
            return loaded;
        }
    }

    static final class Request {
        private final String folder;
        private final String path;

        Request(String folder, String path) {
            this.folder = folder;
            this.path = path;
        }
    }

    static class RequestQueue {
        private final LinkedList<Request> waiting = new LinkedList<>();
        private boolean ended;

        public synchronized void put(Request request) {
            waiting.addLast(request);
            notify();
        }

        public synchronized void end() {
            ended = true;
            notifyAll();
        }

        public synchronized Request take() throws InterruptedException {
            while (waiting.isEmpty() && !ended) {
                wait();
            }
            return waiting.isEmpty() ? null : waiting.removeFirst();
        }
    }

    /** How often there was which status. Synchronized, as library classes are, for those who need it. */
    static class StatusTable {
        private final int[] statuses = new int[8];
        private final int[] counts = new int[8];
        private int size;

        public synchronized int find(int status) {
            for (int i = 0; i < size; i++) {
                if (statuses[i] == status) {
                    return i;
                }
            }
            return -1;
        }

        public synchronized void add(int status) {
            statuses[size] = status;
            counts[size] = 1;
            size++;
        }

        public synchronized void raise(int at) {
            counts[at]++;
        }

        public synchronized int count(int at) {
            return at < 0 ? 0 : counts[at];
        }
    }

    /** What all workers did. Its table is used under its own lock only. */
    static class Statistics {
        private final StatusTable table = new StatusTable();
        private long bytes;
        private int busy;

        public synchronized void answer(int length) {
            status(200);
            count(length);
        }

        public synchronized void miss() {
            status(404);
        }

        private synchronized void status(int status) {
            int at = table.find(status);
            if (at < 0) {
                table.add(status);
            } else {
                table.raise(at);
            }
        }

        private synchronized void count(int length) {
            bytes += length;
        }

        public synchronized int requests() {
            return table.count(table.find(200)) + table.count(table.find(404));
        }

        public synchronized void begin() {
            busy = busy + 1; //~ also data-race
        }

        public synchronized void end() {
            busy = busy - 1; //~ also data-race
        }

        /** How many workers are at work. Looked at without the lock, since it only has to be about right. */
        public int load() {
            return busy; //~ data-race
        }
    }

    /** Text that grows. Synchronized, as library classes are, for those who need it. */
    static class Page {
        private final StringBuilder text = new StringBuilder();
        private int lines;

        public synchronized void add(String line) {
            text.append(line).append('\n');
            lines++;
        }

        public synchronized int length() {
            return text.length();
        }

        public synchronized int lines() {
            return lines;
        }
    }

    static class Worker extends Thread {
        private final RequestQueue queue;
        private final ResourceStoreManager manager;
        private final Statistics statistics;
        /** Begun by the thread that makes the worker, and then used by the worker alone. */
        private final Page log = new Page();

        Worker(RequestQueue queue, ResourceStoreManager manager, Statistics statistics, int number) {
            super("worker-" + number);
            this.queue = queue;
            this.manager = manager;
            this.statistics = statistics;
            log.add("log of " + getName());
        }

        /** The answer as it would be sent. */
        public int render(Resource resource) {
            Page page = new Page();
            page.add("HTTP/1.0 200 OK");
            page.add("Content-Location: " + resource.path());
            page.add(resource.text());
            return page.length();
        }

        /** Keeps in mind what was asked for. */
        public int note(Request request) {
            log.add("GET " + request.path);
            return log.lines();
        }

        private void answer(Request request) {
            ResourceStore store = manager.loadResourceStore(request.folder);
            Resource resource = store == null ? null : store.find(request.path);
            if (resource == null) {
                statistics.miss();
            } else {
                statistics.answer(render(resource));
            }
        }

        @Override
        public void run() {
            try {
                Request request = queue.take();
                // All have used the manager's lock before any of them needs a store.
                manager.isClosed();
                Invisible.meet(WORKERS);
                while (request != null) {
                    statistics.begin();
                    note(request);
                    answer(request);
                    statistics.end();
                    request = queue.take();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        RequestQueue queue = new RequestQueue();
        ResourceStoreManager manager = new ResourceStoreManager();
        Statistics statistics = new Statistics();
        Worker[] workers = new Worker[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            workers[i] = new Worker(queue, manager, statistics, i);
            workers[i].start();
        }
        for (int i = 0; i < REQUESTS; i++) {
            String folder = "/folder" + i % 6;
            queue.put(new Request(folder, folder + "/page" + i % 5));
        }
        Thread shutdown = new Thread(() -> {
            while (statistics.load() > WORKERS || statistics.requests() < REQUESTS / 2) {
                Thread.yield();
            }
            manager.shutdown();
        }, "shutdown");
        shutdown.start();
        queue.end();
        for (Worker worker : workers) {
            worker.join();
        }
        shutdown.join();
        System.out.println("WebServer " + statistics.requests());
    }
}
