import support.Threads;

/** An enum constant is one object for all threads, so its fields are shared. */
public class Enums {
    enum Gauge {
        OPEN,
        GUARDED {
            @Override
            synchronized void read() {
                guarded++;
            }
        };

        int open;
        int guarded;

        void read() {
            open++; //~ data-race
        }
    }

    static int switched(Gauge gauge) {
        return switch (gauge) {
            case OPEN -> gauge.open;
            case GUARDED -> gauge.guarded;
        };
    }

    static void constantBad() throws InterruptedException {
        Threads.inTurn(Gauge.OPEN::read, Gauge.valueOf("OPEN")::read);
    }

    static void constantOk() throws InterruptedException {
        Threads.inTurn(Gauge.GUARDED::read, Gauge.values()[1]::read);
    }

    public static void main(String[] args) throws InterruptedException {
        constantBad();
        constantOk();
        System.out.println("Enums " + switched(Gauge.OPEN) + " " + switched(Gauge.GUARDED));
    }
}
