/** What compilers make of patterns since Java 21: calls of SwitchBootstraps and accessors of records. */
class Patterns {
    sealed interface Shape permits Circle, Square {}
    record Circle(int radius) implements Shape {}
    record Square(int side, Object label) implements Shape {}
    enum Colour { RED, GREEN }

    int[] seen = new int[1];

    int area(Shape shape) {
        return switch (shape) {
            case Circle circle -> circle.radius();
            case Square(int side, Object label) when side > 0 -> side;
            case Square square -> 0;
        };
    }

    synchronized int locked(Object value) {
        return switch (value) {
            case null -> 0;
            case Integer number -> seen[0] += number;
            case String text -> text.length();
            case Colour.RED -> 1;
            default -> -1;
        };
    }

    boolean is(Object value) {
        return value instanceof Square(int side, Circle(int radius)) && side == radius;
    }
}
