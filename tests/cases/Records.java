import support.Threads;

/** The components of a record are final and free to read; an array in one of them is not. */
public class Records {
    record Shared(int[] cells) {}

    record Point(int x, int y) {}

    static final Object LOCK = new Object();
    static Point published;
    static int sum;

    static int arrayComponentBad() throws InterruptedException {
        Shared shared = new Shared(new int[1]);
        Threads.inTurn(
                () -> shared.cells()[0]++, //~ data-race
                () -> shared.cells()[0]++); //~ data-race
        return shared.cells()[0];
    }

    static int finalComponentsOk() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    Point point = new Point(3, 4);
                    synchronized (LOCK) {
                        published = point;
                    }
                },
                () -> {
                    Point point;
                    synchronized (LOCK) {
                        point = published;
                    }
                    sum = point.x() + point.y();
                });
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("Records " + arrayComponentBad() + " " + finalComponentsOk());
    }
}
