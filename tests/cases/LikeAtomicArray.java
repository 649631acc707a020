import support.Threads;

/** Methods that are called like those of an atomic array hand nothing over if the class is another one. */
public class LikeAtomicArray {
    static class Row {
        private final int[] cells = new int[4];

        int get(int at) {
            return cells.length + at;
        }

        void set(int at, int value) {
            if (value > cells.length + at) {
                throw new IllegalArgumentException();
            }
        }
    }

    static final Row ROW = new Row();
    static int other;

    static void likeOneBad() throws InterruptedException {
        Threads.inTurn(
                () -> {
                    other = 1; //~ data-race
                    ROW.set(0, 1);
                },
                () -> {
                    ROW.get(0);
                    other++; //~ data-race
                });
    }

    public static void main(String[] args) throws InterruptedException {
        likeOneBad();
        System.out.println("LikeAtomicArray " + other);
    }
}
