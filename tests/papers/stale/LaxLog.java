/**
 * Section 5.3 of "Using block-local atomicity": a log writes a copy of shared data, which need not be the latest, and threads
 * that start and join keep two uses apart. Nothing is wrong with either; the paper's algorithm complains about both.
 */
public class LaxLog {
    static class Gauge {
        private int pressure;
        private int limit = 10;

        synchronized int pressure() {
            return pressure;
        }

        synchronized void raise() {
            if (pressure < limit) {
                pressure++;
            }
        }

        synchronized int limit() {
            return limit;
        }

        synchronized void setLimit(int value) {
            limit = value;
        }
    }

    static class Log {
        private final StringBuilder lines = new StringBuilder();
        private int count;

        synchronized void write(int value) {
            lines.append("pressure ").append(value).append('\n');
            count++;
        }

        synchronized int count() {
            return count;
        }
    }

    static void raise(Gauge gauge, int times) {
        for (int i = 0; i < times; i++) {
            gauge.raise();
        }
    }

    static void note(Gauge gauge, Log log) {
        int value = gauge.pressure();
        log.write(value); //~ paper stale-value
    }

    /** Nobody else is there any more, or yet, when the limit is doubled. */
    static void doubled(Gauge gauge) {
        int limit = gauge.limit();
        gauge.setLimit(2 * limit); //~ paper stale-value
    }

    static void together(Gauge gauge, Log log) throws InterruptedException {
        Thread raiser = new Thread(() -> raise(gauge, 8));
        Thread noter = new Thread(() -> {
            for (int i = 0; i < 4; i++) {
                note(gauge, log);
            }
        });
        raiser.start();
        noter.start();
        raiser.join();
        noter.join();
    }

    public static void main(String[] args) throws InterruptedException {
        Gauge gauge = new Gauge();
        Log log = new Log();
        together(gauge, log);
        doubled(gauge);
        together(gauge, log);
        System.out.println("LaxLog " + gauge.pressure() + " " + log.count());
    }
}
