import support.Invisible;

/** The calculator of LazyInit; the table is made under a lock. */
public class LazyInitFixed {
    static class Table {
        private final int[] squares = new int[30];

        Table() {
            for (int i = 0; i < squares.length; i++) {
                squares[i] = i * i;
            }
        }

        int square(int number) {
            return squares[number];
        }
    }

    static class Calculator {
        private Table table;

        private synchronized Table table() {
            if (table == null) {
                table = new Table();
            }
            return table;
        }

        public int square(int number) {
            return table().square(number);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Calculator calculator = new Calculator();
        int[] results = new int[2];
        Thread one = new Thread(() -> {
            Invisible.meet(2);
            results[0] = calculator.square(5);
        });
        Thread two = new Thread(() -> {
            Invisible.meet(2);
            results[1] = calculator.square(7);
        });
        one.start();
        two.start();
        one.join();
        two.join();
        System.out.println("LazyInitFixed " + (results[0] + results[1]));
    }
}
