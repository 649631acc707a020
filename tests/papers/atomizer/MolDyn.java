import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.BrokenBarrierException;

/**
 * A molecular dynamics kernel after the one of the Java Grande suite: each thread computes the forces of its share of the
 * particles into an array of its own, one thread adds them up, and all move on. Barriers keep the steps apart. Nothing
 * is wrong with it.
 */
public class MolDyn {
    static final int PARTICLES = 48;
    static final int THREADS = 4;
    static int steps = 5;
    static final double BOX = 6;
    static final double TIME = 0.001;

    static class Particle {
        private double x;
        private double y;
        private double z;
        private double vx;
        private double vy;
        private double vz;

        Particle(int number) {
            x = number % 4 * 1.5;
            y = number / 4 % 4 * 1.5;
            z = number / 16 * 1.5;
            vx = Math.sin(number);
            vy = Math.cos(number);
            vz = Math.sin(2 * number);
        }

        void move(double fx, double fy, double fz) {
            vx += fx * TIME;
            vy += fy * TIME;
            vz += fz * TIME;
            x = wrap(x + vx * TIME);
            y = wrap(y + vy * TIME);
            z = wrap(z + vz * TIME);
        }

        private static double wrap(double at) {
            return at < 0 ? at + BOX : at >= BOX ? at - BOX : at;
        }

        double energy() {
            return (vx * vx + vy * vy + vz * vz) / 2;
        }
    }

    /** What all threads work on. */
    static class World {
        private final Particle[] particles = new Particle[PARTICLES];
        private final double[][] forces = new double[THREADS][3 * PARTICLES];
        private final double[] total = new double[3 * PARTICLES];
        private final CyclicBarrier barrier = new CyclicBarrier(THREADS);
        private double potential;

        World() {
            for (int i = 0; i < PARTICLES; i++) {
                particles[i] = new Particle(i);
            }
        }

        void compute(int thread) {
            double[] mine = forces[thread];
            java.util.Arrays.fill(mine, 0);
            double sum = 0;
            for (int i = thread; i < PARTICLES; i += THREADS) {
                for (int j = i + 1; j < PARTICLES; j++) {
                    Particle a = particles[i];
                    Particle b = particles[j];
                    double dx = a.x - b.x;
                    double dy = a.y - b.y;
                    double dz = a.z - b.z;
                    double square = dx * dx + dy * dy + dz * dz + 0.01;
                    double inverse = 1 / square;
                    double sixth = inverse * inverse * inverse;
                    double force = 24 * inverse * sixth * (2 * sixth - 1) * 1e-6;
                    sum += 4 * sixth * (sixth - 1);
                    mine[3 * i] += force * dx;
                    mine[3 * i + 1] += force * dy;
                    mine[3 * i + 2] += force * dz;
                    mine[3 * j] -= force * dx;
                    mine[3 * j + 1] -= force * dy;
                    mine[3 * j + 2] -= force * dz;
                }
            }
            addPotential(sum);
        }

        private synchronized void addPotential(double sum) {
            potential += sum;
        }

        synchronized double potential() {
            return potential;
        }

        void gather() {
            for (int i = 0; i < total.length; i++) {
                double sum = 0;
                for (int thread = 0; thread < THREADS; thread++) {
                    sum += forces[thread][i];
                }
                total[i] = sum;
            }
        }

        void move(int thread) {
            for (int i = thread; i < PARTICLES; i += THREADS) {
                particles[i].move(total[3 * i], total[3 * i + 1], total[3 * i + 2]);
            }
        }

        double energy() {
            double energy = 0;
            for (Particle particle : particles) {
                energy += particle.energy();
            }
            return energy;
        }
    }

    static class Runner extends Thread {
        private final World world;
        private final int number;

        Runner(World world, int number) {
            super("moldyn-" + number);
            this.world = world;
            this.number = number;
        }

        @Override
        public void run() {
            try {
                for (int step = 0; step < steps; step++) {
                    world.compute(number);
                    world.barrier.await();
                    if (number == 0) {
                        world.gather();
                    }
                    world.barrier.await();
                    world.move(number);
                    world.barrier.await();
                }
            } catch (InterruptedException | BrokenBarrierException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1) {
            steps = Integer.parseInt(args[0]);
        }
        World world = new World();
        Runner[] runners = new Runner[THREADS];
        for (int i = 0; i < THREADS; i++) {
            runners[i] = new Runner(world, i);
            runners[i].start();
        }
        for (Runner runner : runners) {
            runner.join();
        }
        System.out.printf("MolDyn %.4f %b%n", world.energy(), Double.isFinite(world.potential()));
    }
}
