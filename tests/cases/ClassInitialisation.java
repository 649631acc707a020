import support.Threads;

/** What a static initialiser writes is handed to every user of the class; later writes are not. */
public class ClassInitialisation {
    static class Lazy {
        static int[] table;

        static int first() {
            if (table == null) { //~ data-race
                table = new int[] {7}; //~ data-race
            }
            return 1;
        }
    }

    static class Holder {
        static final int[] TABLE = new int[1];
        static int size;

        static {
            TABLE[0] = 8;
            size = 1;
        }
    }

    static int[] seen = new int[4];

    static void lazyFieldBad() throws InterruptedException {
        Threads.inTurn(() -> seen[0] = Lazy.first(), () -> seen[1] = Lazy.first());
    }

    static void holderIdiomOk() throws InterruptedException {
        Threads.inTurn(
                () -> seen[2] = Holder.TABLE[0] + Holder.size,
                () -> seen[3] = Holder.TABLE[0] + Holder.size);
    }

    public static void main(String[] args) throws InterruptedException {
        lazyFieldBad();
        holderIdiomOk();
        System.out.println("ClassInitialisation " + (seen[0] + seen[1]) + " " + (seen[2] + seen[3]));
    }
}
