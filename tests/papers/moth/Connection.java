/**
 * A connection that several threads use, after the example of Beckman, Bierhoff and Aldrich, "Verifying correct usage of
 * atomic blocks and typestate": each method is atomic, but whoever asks first and acts then has no promise left.
 */
public class Connection {
    @interface Atomic {
    }

    static class Socket {
        private final String host;

        Socket(String host) {
            this.host = host;
        }

        int write(String text) {
            return text.length() + host.length();
        }
    }

    static class Manager {
        private Socket socket;
        private int counter;
        private long createTime;
        private int sent;

        @Atomic
        synchronized boolean isConnected() {
            return socket != null;
        }

        @Atomic
        synchronized void connect(Socket fresh, long time) {
            socket = fresh;
            createTime = time;
            counter = 0;
        }

        @Atomic
        synchronized void disconnect() {
            socket = null;
            createTime = 0;
            counter = 0;
        }

        @Atomic
        synchronized void send(String message) {
            sent += socket.write(message);
            counter++;
        }

        @Atomic
        synchronized int getCounter() {
            return counter;
        }

        @Atomic
        synchronized long getCreateTime() {
            return createTime;
        }

        boolean trySend(String message) {
            if (isConnected()) {
                send(message); //~ stale-value
                return true;
            }
            return false;
        }

        double rate(long now) {
            int messages = getCounter();
            long since = getCreateTime(); //~ high-level-race
            return messages / (double) (now - since + 1);
        }
    }

    static class Client extends Thread {
        private final Manager manager;

        Client(Manager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < 20; i++) {
                    manager.trySend("hello");
                }
            } catch (NullPointerException e) {
                // Somebody disconnected between the question and the message.
            }
        }
    }

    static class Admin extends Thread {
        private final Manager manager;

        Admin(Manager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            for (int i = 1; i < 10; i++) {
                manager.connect(new Socket("localhost"), i);
                manager.disconnect();
            }
        }
    }

    static class Monitor extends Thread {
        private final Manager manager;
        private double highest;

        Monitor(Manager manager) {
            this.manager = manager;
        }

        @Override
        public void run() {
            for (int now = 10; now < 20; now++) {
                highest = Math.max(highest, manager.rate(now));
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Manager manager = new Manager();
        Client client = new Client(manager);
        Admin admin = new Admin(manager);
        Monitor monitor = new Monitor(manager);
        client.start();
        admin.start();
        monitor.start();
        client.join();
        admin.join();
        monitor.join();
        System.out.println(monitor.highest >= 0);
    }
}
