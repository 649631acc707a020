import java.util.ArrayList;
import java.util.List;

/**
 * The elevator simulation of von Praun and Gross: people press buttons on floors, lifts claim the calls and drive there.
 * A lift asks for a waiting call in one block and claims it in the next, and so may drive for one that another lift has
 * claimed.
 */
public class Elevator {
    static final int FLOORS = 6;

    static class Floor {
        private boolean upCalled;
        private boolean downCalled;
        private int waiting;
        private int claimedBy = -1;

        synchronized void callUp() {
            upCalled = true;
            waiting++;
        }

        synchronized void callDown() {
            downCalled = true;
            waiting++;
        }

        synchronized int claimant() {
            return claimedBy;
        }

        synchronized void claim(int lift) {
            claimedBy = lift;
        }

        synchronized int enter() {
            int people = waiting;
            waiting = 0;
            upCalled = false;
            downCalled = false;
            claimedBy = -1;
            return people;
        }

        synchronized boolean isCalled() {
            return upCalled || downCalled;
        }
    }

    static class Controls {
        private final Floor[] floors = new Floor[FLOORS];

        Controls() {
            for (int i = 0; i < FLOORS; i++) {
                floors[i] = new Floor();
            }
        }

        boolean tryClaim(int number, int lift) {
            Floor floor = floors[number];
            if (floor.isCalled() && floor.claimant() < 0) { //~ high-level-race
                floor.claim(lift); //~ stale-value
                return true;
            }
            return false;
        }

        Floor floor(int number) {
            return floors[number];
        }
    }

    static class Lift extends Thread {
        private final Controls controls;
        private final int number;
        private int carried;

        Lift(Controls controls, int number) {
            this.controls = controls;
            this.number = number;
        }

        @Override
        public void run() {
            for (int round = 0; round < 20; round++) {
                for (int floor = 0; floor < FLOORS; floor++) {
                    if (controls.tryClaim(floor, number)) {
                        carried += controls.floor(floor).enter(); //~ stale-value
                    }
                }
            }
        }
    }

    static class People extends Thread {
        private final Controls controls;

        People(Controls controls) {
            this.controls = controls;
        }

        @Override
        public void run() {
            for (int i = 0; i < 30; i++) {
                controls.floor(i % FLOORS).callUp();
                controls.floor((i + 1) % FLOORS).callDown();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Controls controls = new Controls();
        List<Lift> lifts = new ArrayList<>();
        People people = new People(controls);
        people.start();
        for (int i = 0; i < 2; i++) {
            Lift lift = new Lift(controls, i);
            lifts.add(lift);
            lift.start();
        }
        people.join();
        int carried = 0;
        for (Lift lift : lifts) {
            lift.join();
            carried += lift.carried;
        }
        System.out.println(carried >= 0);
    }
}
