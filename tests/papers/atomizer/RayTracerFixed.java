/** The ray tracer of RayTracer; the check sum has one lock for all runners. */
public class RayTracerFixed {
    static int size = 24;
    static final int THREADS = 4;

    static final class Vec {
        final double x;
        final double y;
        final double z;

        Vec(double x, double y, double z) {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        Vec plus(Vec other) {
            return new Vec(x + other.x, y + other.y, z + other.z);
        }

        Vec minus(Vec other) {
            return new Vec(x - other.x, y - other.y, z - other.z);
        }

        Vec times(double factor) {
            return new Vec(x * factor, y * factor, z * factor);
        }

        double dot(Vec other) {
            return x * other.x + y * other.y + z * other.z;
        }

        Vec unit() {
            return times(1 / Math.sqrt(dot(this)));
        }
    }

    static final class Ray {
        final Vec from;
        final Vec direction;

        Ray(Vec from, Vec direction) {
            this.from = from;
            this.direction = direction;
        }

        Vec at(double distance) {
            return from.plus(direction.times(distance));
        }
    }

    static final class Sphere {
        final Vec centre;
        final double radius;
        final double shine;

        Sphere(Vec centre, double radius, double shine) {
            this.centre = centre;
            this.radius = radius;
            this.shine = shine;
        }

        /** How far the ray goes before it hits; negative if it does not. */
        double hit(Ray ray) {
            Vec to = centre.minus(ray.from);
            double along = to.dot(ray.direction);
            double square = along * along - to.dot(to) + radius * radius;
            if (square < 0) {
                return -1;
            }
            return along - Math.sqrt(square);
        }
    }

    static final class Scene {
        final Sphere[] spheres = new Sphere[8];
        final Vec light = new Vec(5, 5, -10);

        Scene() {
            for (int i = 0; i < spheres.length; i++) {
                Vec centre = new Vec(i % 2 * 3 - 1.5, i / 2 % 2 * 3 - 1.5, i / 4 * 3 + 6);
                spheres[i] = new Sphere(centre, 1.2, 10 + i);
            }
        }

        Sphere nearest(Ray ray) {
            Sphere nearest = null;
            double least = Double.MAX_VALUE;
            for (Sphere sphere : spheres) {
                double distance = sphere.hit(ray);
                if (distance > 1e-6 && distance < least) {
                    least = distance;
                    nearest = sphere;
                }
            }
            return nearest;
        }

        int shade(Ray ray) {
            Sphere sphere = nearest(ray);
            if (sphere == null) {
                return 0;
            }
            Vec point = ray.at(sphere.hit(ray));
            Vec normal = point.minus(sphere.centre).unit();
            Vec towards = light.minus(point).unit();
            double bright = Math.max(0, normal.dot(towards));
            return (int) (255 * (0.8 * bright + 0.2 * Math.pow(bright, sphere.shine)));
        }
    }

    /** The rows that nobody has taken yet. */
    static final class Rows {
        private int next;

        /** The next row; -1 if there is none. */
        public synchronized int take() {
            return isEmpty() ? -1 : advance();
        }

        private synchronized boolean isEmpty() {
            return next >= size;
        }

        private synchronized int advance() {
            next++;
            return next - 1;
        }
    }

    /** How bright rows are. Synchronized, as library classes are, for those who need it. */
    static final class Histogram {
        private final int[] counts = new int[16];
        private int rows;

        public synchronized void add(long brightness) {
            counts[(int) Math.min(15, brightness / 16)]++;
            rows++;
        }

        public synchronized int rows() {
            return rows;
        }

        public synchronized int most() {
            int most = 0;
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > counts[most]) {
                    most = i;
                }
            }
            return most;
        }
    }

    private final Scene scene = new Scene();
    private final Rows rows = new Rows();
    private long checksum;

    synchronized long checksum() {
        return checksum;
    }

    class Runner extends Thread {
        /** Of the rows that this runner rendered; nobody else uses it before that is done. */
        private Histogram histogram;

        Runner(int number) {
            super("runner-" + number);
        }

        /** Counts a row, and says how bright most of them have been. */
        public int note(long sum) {
            histogram.add(sum / size);
            return histogram.rows() == 0 ? 0 : histogram.most();
        }

        private long render(int row) {
            long sum = 0;
            for (int column = 0; column < size; column++) {
                Vec direction = new Vec((column - size / 2) / (double) size, (row - size / 2) / (double) size, 1);
                sum += scene.shade(new Ray(new Vec(0, 0, 0), direction.unit()));
            }
            return sum;
        }

        @Override
        public void run() {
            histogram = new Histogram();
            long sum = 0;
            for (int row = rows.take(); row >= 0; row = rows.take()) {
                long bright = render(row);
                note(bright);
                sum += bright;
            }
            add(sum);
            add(0);
        }

        private void add(long sum) {
            synchronized (RayTracerFixed.this) {
                checksum = checksum + sum;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1) {
            size = Integer.parseInt(args[0]);
        }
        RayTracerFixed tracer = new RayTracerFixed();
        Runner[] runners = new Runner[THREADS];
        for (int i = 0; i < THREADS; i++) {
            runners[i] = tracer.new Runner(i);
            runners[i].start();
        }
        for (Runner runner : runners) {
            runner.join();
        }
        System.out.println("RayTracerFixed " + (tracer.checksum() > 0));
    }
}
