/**
 * Two variables that one thread sets in one block; another one looks at the first of them alone, for its own count, and later
 * reads both of them in one block, anew. What it read first goes nowhere else: nothing is wrong, although a value is read
 * twice and may be another one the second time.
 */
public class OverReporting {
    static class Shared {
        private int x;
        private int y;

        synchronized void setBoth(int value) {
            x = value;
            y = value;
        }

        synchronized int getX() {
            return x;
        }

        synchronized boolean isEven() {
            return x == y;
        }
    }

    static class Writer extends Thread {
        private final Shared shared;

        Writer(Shared shared) {
            this.shared = shared;
        }

        @Override
        public void run() {
            for (int value = 1; value <= 5; value++) {
                shared.setBoth(value);
            }
        }
    }

    static class Reader extends Thread {
        private final Shared shared;
        private int lastX;
        private boolean even = true;

        Reader(Shared shared) {
            this.shared = shared;
        }

        @Override
        public void run() {
            lastX = shared.getX();
            even = shared.isEven();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Shared shared = new Shared();
        Writer writer = new Writer(shared);
        Reader reader = new Reader(shared);
        writer.start();
        reader.start();
        writer.join();
        reader.join();
        System.out.println(reader.even + " " + (reader.lastX >= 0));
    }
}
