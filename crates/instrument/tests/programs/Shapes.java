import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class Shapes {
    interface Named {
        Object KEY = new Object();

        static String of(Named named) {
            return named.name() + KEY.getClass().getSimpleName();
        }

        String name();

        default int length() {
            return name().length();
        }
    }

    record Point(int x, long y) implements Named {
        Point {
            if (x < 0) throw new IllegalArgumentException("negative");
        }

        public String name() {
            return "point" + x + y;
        }
    }

    enum Colour {
        RED, GREEN {
            @Override
            int weight() {
                return 2;
            }
        };

        private int used;

        int weight() {
            return ++used;
        }
    }

    static class Base {
        final int first;
        int second;

        Base(int first) {
            this.first = first;
            second = first + 1;
        }

        Base() {
            this(7);
            second++;
        }
    }

    static class Derived extends Base {
        final String text;
        private int count;

        Derived(String text, boolean early) {
            super(early ? text.length() : 0);
            this.text = text;
            if (early) return;
            count = 3;
        }
    }

    static int started;

    static class Lazy {
        static int value = 1 + started;

        static {
            started++;
        }
    }

    class Inner {
        int own = outer + 1;

        int sum() {
            return own + outer;
        }
    }

    int outer = 4;

    IntSupplier capture(int by) {
        IntSupplier supplier = () -> outer + by;
        return supplier;
    }

    static int choose(String word, int depth) {
        int[] steps = {0};
        try {
            switch (word) {
                case "a":
                    steps[0] = 1;
                    return depth == 0 ? 0 : choose("b", depth - 1) + 1;
                case "b":
                    throw new IllegalStateException();
                default:
                    return -1;
            }
        } catch (IllegalStateException e) {
            return depth == 0 ? 5 : choose("a", depth - 1) + 10;
        } finally {
            started += steps[0];
        }
    }

    public static void main(String[] args) {
        Point point = new Point(1, 2);
        System.out.println(Named.of(point) + point.length() + point + point.equals(new Point(1, 2)));
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println(Colour.RED.weight() + Colour.GREEN.weight() + Colour.valueOf("RED").used);
        Derived derived = new Derived("abc", true);
        System.out.println(derived.first + derived.text + derived.count + new Derived("x", false).count + new Base().second);
        System.out.println(Lazy.value + started);
        Shapes shapes = new Shapes();
        System.out.println(shapes.new Inner().sum() + shapes.capture(3).getAsInt());
        Supplier<Shapes> make = Shapes::new;
        System.out.println(make.get().outer);
        System.out.println(choose("a", 3) + " " + choose("z", 0) + " " + started);
        Object local = new Object() {
            int field = shapes.outer;

            @Override
            public String toString() {
                return "local" + field++;
            }
        };
        System.out.println(local);
    }
}
