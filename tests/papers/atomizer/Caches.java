import support.Invisible;

/**
 * Two caches, idioms of section 5 of "Atomizer". One keeps a number that every thread would compute alike, without a lock, as
 * strings keep their hash code: "Atomizer" calls it benign, and it is a data race. The other keeps the last answer and
 * its question in two fields without a lock, and may put the answer to another question beside it.
 */
public class Caches {
    static class Name {
        private final String text;
        private int hash;

        Name(String text) {
            this.text = text;
        }

        public int hash() {
            int known = hash;
            if (known == 0) {
                for (int i = 0; i < text.length(); i++) {
                    known = 31 * known + text.charAt(i);
                }
                hash = known; //~ data-race
            }
            return known;
        }
    }

    static class Factoriser {
        private int lastNumber;
        private int lastFactor;

        private static int smallestFactor(int number) {
            for (int factor = 2; factor * factor <= number; factor++) {
                if (number % factor == 0) {
                    return factor;
                }
            }
            return number;
        }

        public int factor(int number) {
            if (number == lastNumber) {
                return lastFactor;
            }
            int factor = smallestFactor(number);
            lastNumber = number; //~ data-race
            lastFactor = factor; //~ data-race
            return factor;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Name name = new Name("raddle");
        Factoriser factoriser = new Factoriser();
        int[] sums = new int[2];
        Thread[] threads = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                Invisible.meet(2);
                for (int n = 0; n < 6; n++) {
                    sums[number] += name.hash() % 100 + factoriser.factor(90 + n / 2) % 2;
                }
            });
            threads[i].start();
        }
        threads[0].join();
        threads[1].join();
        System.out.println("Caches " + (sums[0] != 0 && sums[1] != 0));
    }
}
