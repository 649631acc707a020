/**
 * The travelling salesman of von Praun and Gross: workers take partial tours from a common stack and keep the shortest whole
 * tour. The shortest length is looked at under the lock again before it is lowered: nothing is wrong with it.
 */
public class Tsp {
    static final int CITIES = 6;
    static final int[][] DISTANCES = new int[CITIES][CITIES];

    static class Tour {
        final int[] cities;
        final int count;
        final int length;

        Tour(int[] cities, int count, int length) {
            this.cities = cities;
            this.count = count;
            this.length = length;
        }

        Tour extend(int city) {
            int[] longer = cities.clone();
            longer[count] = city;
            return new Tour(longer, count + 1, length + DISTANCES[cities[count - 1]][city]);
        }

        boolean visits(int city) {
            for (int i = 0; i < count; i++) {
                if (cities[i] == city) {
                    return true;
                }
            }
            return false;
        }
    }

    static class Solver {
        private final Object best = new Object();
        private int shortest = Integer.MAX_VALUE;
        private Tour shortestTour;
        private int next;
        private final Tour[] starts = new Tour[CITIES];

        synchronized Tour take() {
            if (next >= starts.length) {
                return null;
            }
            Tour tour = starts[next];
            next++;
            return tour;
        }

        int shortest() {
            synchronized (best) {
                return shortest;
            }
        }

        void offer(Tour tour) {
            synchronized (best) {
                if (tour.length < shortest) {
                    shortest = tour.length;
                    shortestTour = tour;
                }
            }
        }
    }

    static class Worker extends Thread {
        private final Solver solver;

        Worker(Solver solver) {
            this.solver = solver;
        }

        @Override
        public void run() {
            Tour tour = solver.take();
            while (tour != null) {
                search(tour);
                tour = solver.take();
            }
        }

        private void search(Tour tour) {
            if (tour.length >= solver.shortest()) {
                return;
            }
            if (tour.count == CITIES) {
                solver.offer(tour);
                return;
            }
            for (int city = 0; city < CITIES; city++) {
                if (!tour.visits(city)) {
                    search(tour.extend(city));
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < CITIES; i++) {
            for (int j = 0; j < CITIES; j++) {
                DISTANCES[i][j] = 1 + (i * 7 + j * 3) % 10;
            }
        }
        Solver solver = new Solver();
        for (int i = 0; i < CITIES; i++) {
            int[] cities = new int[CITIES];
            cities[0] = i;
            solver.starts[i] = new Tour(cities, 1, 0);
        }
        Worker[] workers = new Worker[2];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(solver);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        System.out.println(solver.shortest() < Integer.MAX_VALUE);
    }
}
