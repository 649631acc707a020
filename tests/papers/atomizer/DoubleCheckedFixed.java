import support.Invisible;

/** The library of DoubleChecked, with a volatile field: then the idiom is right. */
public class DoubleCheckedFixed {
    /** Costly to make. */
    static class Catalogue {
        private final String[] titles = new String[20];

        Catalogue() {
            for (int i = 0; i < titles.length; i++) {
                titles[i] = "title " + i;
            }
        }

        String title(int number) {
            return titles[number % titles.length];
        }
    }

    static class Library {
        private final Object lock = new Object();
        private volatile Catalogue catalogue;
        private int made;

        public Catalogue catalogue() {
            if (catalogue == null) {
                synchronized (lock) {
                    if (catalogue == null) {
                        catalogue = new Catalogue();
                        made++;
                    }
                }
            }
            return catalogue;
        }

        public int made() {
            synchronized (lock) {
                return made;
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Library library = new Library();
        int[] lengths = new int[3];
        Thread[] readers = new Thread[3];
        for (int i = 0; i < readers.length; i++) {
            int number = i;
            readers[i] = new Thread(() -> {
                Invisible.meet(readers.length);
                lengths[number] = library.catalogue().title(number).length();
            });
            readers[i].start();
        }
        int sum = 0;
        for (int i = 0; i < readers.length; i++) {
            readers[i].join();
            sum += lengths[i];
        }
        System.out.println("DoubleCheckedFixed " + library.made() + " " + sum);
    }
}
