import support.Invisible;

/**
 * Double-checked locking on a plain field, one of the idioms of section 5 of "Atomizer": the first look is without the lock. The
 * paper counts reports about it as false alarms, since it did no harm on the machines of its time; by Java's memory model
 * it is a data race.
 */
public class DoubleChecked {
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
        private Catalogue catalogue;
        private int made;

        public Catalogue catalogue() {
            if (catalogue == null) { //~ data-race
                synchronized (lock) {
                    if (catalogue == null) {
                        catalogue = new Catalogue(); //~ data-race
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
        System.out.println("DoubleChecked " + library.made() + " " + sum);
    }
}
