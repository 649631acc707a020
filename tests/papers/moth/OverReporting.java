/**
 * Two variables that one thread sets in one block, and that another one reads in two without making anything of both: von
 * Praun and Gross's example of what view consistency reports and what is no defect.
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

        synchronized int getY() {
            return y;
        }
    }

    static class Writer extends Thread {
        private final Shared shared;

        Writer(Shared shared) {
            this.shared = shared;
        }

        @Override
        public void run() {
            shared.setBoth(5); //~ FP? high-level-race
        }
    }

    static class Reader extends Thread {
        private final Shared shared;
        private int lastX;
        private int lastY;

        Reader(Shared shared) {
            this.shared = shared;
        }

        @Override
        public void run() {
            lastX = shared.getX();
            lastY = shared.getY();
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
        System.out.println(reader.lastX >= 0 && reader.lastY >= 0);
    }
}
