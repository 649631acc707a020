/**
 * Figure 4 of "Using block-local atomicity": a daemon averages what a sensor says with what it wrote last time, one block an
 * iteration. The lock is given up in between, so the method is not atomic; but no value gets from one block to the next,
 * and nothing is wrong with it.
 */
public class SensorDaemon {
    static class Shared {
        private double field;
    }

    private final Object lock = new Object();
    private final Shared shared = new Shared();

    private static double func(double value, int reading) {
        return (value + reading) / 2;
    }

    void sensorDaemon(int readings) throws InterruptedException {
        for (int reading = 0; reading < readings; reading++) {
            synchronized (lock) {
                double value = shared.field;
                value = func(value, reading);
                shared.field = value;
            }
            Thread.sleep(1);
        }
    }

    double latest() {
        synchronized (lock) {
            return shared.field;
        }
    }

    void correct(double offset) {
        synchronized (lock) {
            shared.field += offset;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        SensorDaemon sensor = new SensorDaemon();
        Thread daemon = new Thread(() -> {
            try {
                sensor.sensorDaemon(8);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Thread reader = new Thread(() -> {
            for (int i = 0; i < 8; i++) {
                sensor.correct(0.5);
                Thread.yield();
            }
        });
        daemon.start();
        reader.start();
        daemon.join();
        reader.join();
        System.out.println("SensorDaemon " + (sensor.latest() > 0));
    }
}
