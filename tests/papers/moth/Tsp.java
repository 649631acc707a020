import java.util.Arrays;

/**
 * The travelling salesman of von Praun and Gross: the solver makes beginnings of tours and sorts them by what they promise; workers
 * take one after the other and search what can become of it. The length of the shortest tour is looked at under the lock
 * again before it is lowered: nothing is wrong with it.
 */
public class Tsp {
    static int size = 9;
    static final int SPLIT = 3;
    static final int WORKERS = 2;

    /** Where the cities are, and how far from each other. */
    static class Map {
        private final int[] x = new int[size];
        private final int[] y = new int[size];
        private final int[][] distances = new int[size][size];
        private final int[] nearest = new int[size];

        Map(long seed) {
            long state = seed;
            for (int i = 0; i < size; i++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                x[i] = (int) (state >>> 40) % 1000;
                state = state * 6364136223846793005L + 1442695040888963407L;
                y[i] = (int) (state >>> 40) % 1000;
            }
            for (int i = 0; i < size; i++) {
                nearest[i] = Integer.MAX_VALUE;
                for (int j = 0; j < size; j++) {
                    distances[i][j] = (int) Math.round(Math.hypot(x[i] - x[j], y[i] - y[j]));
                    if (i != j) {
                        nearest[i] = Math.min(nearest[i], distances[i][j]);
                    }
                }
            }
        }

        int distance(int from, int to) {
            return distances[from][to];
        }

        /** The least that leaving a city can cost. */
        int leaving(int city) {
            return nearest[city];
        }
    }

    /** A tour, or the beginning of one. Nothing in it changes. */
    static final class Tour {
        private final byte[] cities;
        private final int length;
        private final int bound;

        Tour(byte[] cities, int length, int bound) {
            this.cities = cities;
            this.length = length;
            this.bound = bound;
        }

        static Tour start(Map map) {
            int bound = bound(map, new byte[] {0}, 0);
            return new Tour(new byte[] {0}, 0, bound);
        }

        int count() {
            return cities.length;
        }

        int last() {
            return cities[cities.length - 1];
        }

        boolean visits(int city) {
            for (byte visited : cities) {
                if (visited == city) {
                    return true;
                }
            }
            return false;
        }

        Tour extend(Map map, int city) {
            byte[] longer = Arrays.copyOf(cities, cities.length + 1);
            longer[cities.length] = (byte) city;
            int total = length + map.distance(last(), city);
            return new Tour(longer, total, bound(map, longer, total));
        }

        int closed(Map map) {
            return length + map.distance(last(), 0);
        }

        /** No tour that begins like this is shorter. */
        private static int bound(Map map, byte[] cities, int length) {
            boolean[] visited = new boolean[size];
            for (byte city : cities) {
                visited[city] = true;
            }
            int bound = length + map.leaving(cities[cities.length - 1]);
            for (int city = 0; city < size; city++) {
                if (!visited[city]) {
                    bound += map.leaving(city);
                }
            }
            return bound;
        }
    }

    /** A whole tour that can be changed. Only the thread that makes it uses it. */
    static class Route {
        private final Map map;
        private final byte[] order;

        Route(Map map, Tour tour) {
            this.map = map;
            order = tour.cities.clone();
        }

        private int city(int at) {
            return order[(at + order.length) % order.length];
        }

        private int step(int at) {
            return map.distance(city(at), city(at + 1));
        }

        int length() {
            int length = 0;
            for (int i = 0; i < order.length; i++) {
                length += step(i);
            }
            return length;
        }

        /** Turns a part of the route round. */
        private void reverse(int from, int to) {
            int low = from;
            int high = to;
            while (low < high) {
                byte kept = order[low];
                order[low] = order[high];
                order[high] = kept;
                low++;
                high--;
            }
        }

        /** Crossing roads are never the shortest: uncrosses two of them, if that helps. */
        private boolean uncross() {
            for (int i = 1; i < order.length - 1; i++) {
                for (int j = i + 1; j < order.length; j++) {
                    int before = map.distance(city(i - 1), city(i)) + map.distance(city(j), city(j + 1));
                    int after = map.distance(city(i - 1), city(j)) + map.distance(city(i), city(j + 1));
                    if (after < before) {
                        reverse(i, j);
                        return true;
                    }
                }
            }
            return false;
        }

        /** Puts one city elsewhere, if that helps. */
        private boolean move() {
            for (int from = 1; from < order.length; from++) {
                for (int to = 1; to < order.length; to++) {
                    int before = length();
                    shift(from, to);
                    if (length() < before) {
                        return true;
                    }
                    shift(to, from);
                }
            }
            return false;
        }

        private void shift(int from, int to) {
            byte moved = order[from];
            int way = Integer.compare(to, from);
            for (int at = from; at != to; at += way) {
                order[at] = order[at + way];
            }
            order[to] = moved;
        }

        void improve() {
            boolean better = true;
            while (better) {
                better = uncross() || move();
            }
        }

        Tour tour() {
            Tour tour = Tour.start(map);
            for (int i = 1; i < order.length; i++) {
                tour = tour.extend(map, order[i]);
            }
            return tour;
        }
    }

    /** Beginnings of tours, the one with the least bound on top. Only the thread that makes it uses it. */
    static class Heap {
        private Tour[] tours = new Tour[16];
        private int count;

        boolean isEmpty() {
            return count == 0;
        }

        int count() {
            return count;
        }

        void push(Tour tour) {
            if (count == tours.length) {
                tours = Arrays.copyOf(tours, 2 * count);
            }
            int at = count;
            count++;
            while (at > 0 && tours[(at - 1) / 2].bound > tour.bound) {
                tours[at] = tours[(at - 1) / 2];
                at = (at - 1) / 2;
            }
            tours[at] = tour;
        }

        Tour pop() {
            Tour top = tours[0];
            count--;
            Tour moved = tours[count];
            tours[count] = null;
            if (count > 0) {
                sink(moved);
            }
            return top;
        }

        private void sink(Tour moved) {
            int at = 0;
            while (2 * at + 1 < count) {
                int child = 2 * at + 1;
                if (child + 1 < count && tours[child + 1].bound < tours[child].bound) {
                    child++;
                }
                if (tours[child].bound >= moved.bound) {
                    break;
                }
                tours[at] = tours[child];
                at = child;
            }
            tours[at] = moved;
        }
    }

    /** The shortest roads that connect some cities: no tour through all of them is shorter. Only the thread that makes it uses it. */
    static class SpanningTree {
        private final Map map;
        private final boolean[] connected = new boolean[size];
        private final int[] least = new int[size];
        private final int[] to = new int[size];
        private int length;

        SpanningTree(Map map) {
            this.map = map;
            Arrays.fill(least, Integer.MAX_VALUE);
            connect(0);
            for (int i = 1; i < size; i++) {
                int city = nearest();
                length += least[city];
                connect(city);
            }
        }

        /** The city that is nearest to those that are connected. */
        private int nearest() {
            int nearest = -1;
            for (int city = 0; city < size; city++) {
                if (!connected[city] && (nearest < 0 || least[city] < least[nearest])) {
                    nearest = city;
                }
            }
            return nearest;
        }

        private void connect(int city) {
            connected[city] = true;
            for (int other = 0; other < size; other++) {
                int distance = map.distance(city, other);
                if (!connected[other] && distance < least[other]) {
                    least[other] = distance;
                    to[other] = city;
                }
            }
        }

        int length() {
            return length;
        }

        /** How many roads lead to a city: to leave it and come back somewhere else, a tour needs two. */
        int roads(int city) {
            int roads = city == 0 ? 0 : 1;
            for (int other = 1; other < size; other++) {
                if (to[other] == city) {
                    roads++;
                }
            }
            return roads;
        }

        /** No tour is shorter: the tree, and the shortest second road of a city at which the tree has but one. */
        int bound() {
            int most = 0;
            for (int city = 0; city < size; city++) {
                if (roads(city) == 1) {
                    most = Math.max(most, second(city));
                }
            }
            return length + most;
        }

        /** The second shortest road of a city. */
        private int second(int city) {
            int first = Integer.MAX_VALUE;
            int second = Integer.MAX_VALUE;
            for (int other = 0; other < size; other++) {
                if (other == city) {
                    continue;
                }
                int distance = map.distance(city, other);
                if (distance < first) {
                    second = first;
                    first = distance;
                } else {
                    second = Math.min(second, distance);
                }
            }
            return second;
        }
    }

    /** What the workers did. */
    static class Statistics {
        private int searched;
        private int improved;

        synchronized void search() {
            searched++;
        }

        synchronized void improve() {
            improved++;
        }

        synchronized boolean isSane() {
            return improved <= searched * factorial(size);
        }

        private static long factorial(int n) {
            return n < 2 ? 1 : n * factorial(n - 1);
        }
    }

    static class Solver {
        private final Map map;
        private final Statistics statistics = new Statistics();
        private final Object queue = new Object();
        private final Tour[] beginnings;
        private int next;
        private final Object best = new Object();
        private int shortest = Integer.MAX_VALUE;
        private Tour shortestTour;
        private final int first;

        Solver(Map map) {
            this.map = map;
            Route route = new Route(map, greedy());
            route.improve();
            offer(route.tour());
            // Nobody else knows this object yet.
            first = shortest() + 1;
            beginnings = beginnings(SPLIT);
        }

        /** Always to the nearest city. */
        private Tour greedy() {
            Tour tour = Tour.start(map);
            while (tour.count() < size) {
                int next = -1;
                for (int city = 0; city < size; city++) {
                    if (!tour.visits(city) && (next < 0
                            || map.distance(tour.last(), city) < map.distance(tour.last(), next))) {
                        next = city;
                    }
                }
                tour = tour.extend(map, next);
            }
            return tour;
        }

        /** All beginnings of some length that may still be the shortest tour's, the most promising first. */
        private Tour[] beginnings(int length) {
            Heap open = new Heap();
            Heap done = new Heap();
            open.push(Tour.start(map));
            while (!open.isEmpty()) {
                Tour tour = open.pop();
                if (tour.count() >= Math.min(length, size)) {
                    done.push(tour);
                } else {
                    split(tour, open);
                }
            }
            Tour[] sorted = new Tour[done.count()];
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = done.pop();
            }
            return sorted;
        }

        /** Takes one city more, each in turn, if that does not make the tour too long already. */
        private void split(Tour tour, Heap into) {
            for (int city = 0; city < size; city++) {
                if (!tour.visits(city)) {
                    Tour longer = tour.extend(map, city);
                    if (longer.bound < first) {
                        into.push(longer);
                    }
                }
            }
        }

        /** The next beginning; null if there is none. */
        Tour take() {
            synchronized (queue) {
                if (next == beginnings.length) {
                    return null;
                }
                next++;
                return beginnings[next - 1];
            }
        }

        int shortest() {
            synchronized (best) {
                return shortest;
            }
        }

        boolean isShorter(int length) {
            synchronized (best) {
                return length < shortest;
            }
        }

        void offer(Tour tour) {
            int length = tour.closed(map);
            synchronized (best) {
                if (length < shortest) {
                    shortest = length;
                    shortestTour = tour;
                }
            }
        }

        /** Whether everything was taken. */
        boolean isDone() {
            synchronized (queue) {
                return next == beginnings.length;
            }
        }

        Tour shortestTour() {
            synchronized (best) {
                return shortestTour;
            }
        }

        int first() {
            return first;
        }

        Map map() {
            return map;
        }

        Statistics statistics() {
            return statistics;
        }
    }

    static class Worker extends Thread {
        private final Solver solver;
        private final Map map;

        Worker(Solver solver, int number) {
            super("worker-" + number);
            this.solver = solver;
            this.map = solver.map();
        }

        @Override
        public void run() {
            Tour tour = solver.take();
            while (tour != null) {
                if (solver.isShorter(tour.bound)) {
                    solver.statistics().search();
                    search(tour);
                }
                tour = solver.take();
            }
        }

        private void search(Tour tour) {
            if (tour.bound >= solver.shortest()) {
                return;
            }
            if (tour.count() == size) {
                if (solver.isShorter(tour.closed(map))) {
                    solver.offer(tour);
                    solver.statistics().improve();
                }
                return;
            }
            for (int city = 0; city < size; city++) {
                if (!tour.visits(city)) {
                    search(tour.extend(map, city));
                }
            }
        }
    }

    /** The same without threads, by trying all tours. */
    static int slowly(Map map, Tour tour, int least) {
        if (tour.length >= least) {
            return least;
        }
        if (tour.count() == size) {
            return Math.min(least, tour.closed(map));
        }
        int shortest = least;
        for (int city = 0; city < size; city++) {
            if (!tour.visits(city)) {
                shortest = slowly(map, tour.extend(map, city), shortest);
            }
        }
        return shortest;
    }

    /** Whether a tour visits every city once, begins at the first, and is as long as it says. */
    static boolean isRight(Map map, Tour tour, int length) {
        boolean[] visited = new boolean[size];
        for (byte city : tour.cities) {
            if (visited[city]) {
                return false;
            }
            visited[city] = true;
        }
        return tour.count() == size && tour.cities[0] == 0 && new Route(map, tour).length() == length;
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length == 1) {
            size = Integer.parseInt(args[0]);
        }
        Map map = new Map(42);
        Solver solver = new Solver(map);
        Worker[] workers = new Worker[WORKERS];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(solver, i);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        int expected = slowly(map, Tour.start(map), solver.first());
        boolean right = solver.shortest() == expected && isRight(map, solver.shortestTour(), expected);
        SpanningTree tree = new SpanningTree(map);
        boolean bounded = tree.length() <= tree.bound() && tree.bound() <= expected;
        System.out.println(right && bounded && solver.isDone() && solver.statistics().isSane());
    }
}
