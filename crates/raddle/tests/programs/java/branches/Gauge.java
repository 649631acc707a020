import support.Invisible;

/**
 * A tank that is refilled while somebody looks at its gauge. The gauge shows the level and, if there is enough, how full that
 * is; in this run there never is. So the run sees the level used in one block and the capacity in another, which the refill
 * sets together, although the gauge's code has both in one block.
 */
public class Gauge {
    static class Tank {
        private int level;
        private int capacity;

        synchronized void refill(int newLevel, int newCapacity) {
            level = newLevel;
            capacity = newCapacity;
        }

        /** What the gauge shows. */
        synchronized String shown() {
            if (level < 10) {
                return "low";
            }
            return level + " of " + capacity;
        }

        synchronized int capacity() {
            return capacity;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Tank tank = new Tank();
        Thread pump = new Thread(() -> {
            Invisible.await(1);
            tank.refill(5, 100);
        }, "pump");
        pump.start();
        System.out.println(tank.shown());
        System.out.println(tank.capacity());
        Invisible.step(0);
        pump.join();
    }
}
