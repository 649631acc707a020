/** The roller coaster of Roller; how many wait is asked under the lock. */
public class RollerFixed {
    static final int PASSENGERS = 7;
    static final int RIDES = 12;

    static class Coaster extends Thread {
        private int seats;
        private int free;
        private boolean riding;
        private int waiting;
        private int rides;
        private int longest;

        Coaster(int seats) {
            super("coaster");
            this.seats = seats;
            this.free = seats;
            this.riding = false;
        }

        void takeRide() throws InterruptedException {
            synchronized (this) {
                int queue = waiting;
                waiting++;
                longest = Math.max(longest, queue);
                while (riding || free == 0) {
                    wait();
                }
                waiting--;
                free--;
                int mine = rides;
                notifyAll();
                while (rides == mine) {
                    wait();
                }
            }
        }

        private synchronized void ride() throws InterruptedException {
            while (free > 0) {
                wait();
            }
            riding = true;
            rides++;
            free = seats;
            riding = false;
            notifyAll();
        }

        synchronized int rides() {
            return rides;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < RIDES; i++) {
                    ride();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static class Passenger extends Thread {
        private Coaster coaster;
        private int wanted;
        private int taken;

        Passenger(Coaster coaster, int number) {
            super("passenger-" + number);
            this.coaster = coaster;
            this.wanted = RIDES;
        }

        @Override
        public void run() {
            try {
                while (wanted > 0) {
                    coaster.takeRide();
                    wanted--;
                    taken++;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Coaster coaster = new Coaster(PASSENGERS);
        Passenger[] passengers = new Passenger[PASSENGERS];
        for (int i = 0; i < PASSENGERS; i++) {
            passengers[i] = new Passenger(coaster, i);
        }
        coaster.start();
        for (Passenger passenger : passengers) {
            passenger.start();
        }
        coaster.join();
        for (Passenger passenger : passengers) {
            passenger.join();
        }
        System.out.println("RollerFixed " + coaster.rides());
    }
}
