import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;

/** Code whose register form the tests look at. */
class Lowered {
    private int x;
    private final Object lock = new Object();
    static int total;

    synchronized int both(int a) {
        if (a > 0) {
            return x;
        }
        x = helper(a);
        return a;
    }

    static synchronized void once() {
        total++;
    }

    int block(int a) {
        synchronized (lock) {
            x = a + x;
        }
        return x;
    }

    int loop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if (i % 2 == 0) {
                sum += i;
            }
        }
        return sum;
    }

    int caught(String s) {
        int result = 1;
        try {
            result = 2;
            result = Integer.parseInt(s);
            result = result + helper(result);
        } catch (NumberFormatException e) {
            return result;
        } finally {
            total = result;
        }
        return result;
    }

    int helper(int a) {
        return a;
    }

    Runnable closure(int a) {
        return () -> helper(a);
    }

    Function<String, Integer> reference() {
        return Integer::valueOf;
    }

    Supplier<Object> made() {
        return Object::new;
    }

    Callable<Integer> bound(String s) {
        return s::length;
    }

    String concat(int a, String b) {
        return a + " and " + b;
    }

    int strings(String s) {
        switch (s) {
            case "one":
                return 1;
            case "two":
                return 2;
            default:
                return 3;
        }
    }

    int enums(Thread.State state) {
        switch (state) {
            case NEW:
                return 1;
            default:
                return 2;
        }
    }

    long wide(long a, double b) {
        long[] cells = {a, (long) b};
        cells[0]++;
        return cells[0] += 5;
    }

    record Point(int x, int y) {}
}
