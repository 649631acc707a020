import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import support.Invisible;

/** The server of WebServer; a store is looked up, loaded and entered in one block. */
public class WebServerFixed {
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

        /** The store of a folder; null after the shutdown. */
        public synchronized ResourceStore loadResourceStore(String folder) {
            if (closed) {
                return null;
            }
            ResourceStore store = stores.get(folder);
            if (store == null) {
                store = new ResourceStore(folder);
                stores.put(folder, store);
                loaded++;
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

    static class Statistics {
        private int answered;
        private int missing;
        private long bytes;

        public synchronized void answer(int length) {
            answered++;
            bytes += length;
        }

        public synchronized void miss() {
            missing++;
        }

        public synchronized int requests() {
            return answered + missing;
        }
    }

    static class Worker extends Thread {
        private final RequestQueue queue;
        private final ResourceStoreManager manager;
        private final Statistics statistics;

        Worker(RequestQueue queue, ResourceStoreManager manager, Statistics statistics, int number) {
            super("worker-" + number);
            this.queue = queue;
            this.manager = manager;
            this.statistics = statistics;
        }

        private void answer(Request request) {
            ResourceStore store = manager.loadResourceStore(request.folder);
            Resource resource = store == null ? null : store.find(request.path);
            if (resource == null) {
                statistics.miss();
            } else {
                statistics.answer(resource.text().length());
            }
        }

        @Override
        public void run() {
            try {
                Request request = queue.take();
                Invisible.meet(WORKERS);
                while (request != null) {
                    answer(request);
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
            while (statistics.requests() < REQUESTS / 2) {
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
        System.out.println("WebServerFixed " + statistics.requests());
    }
}
