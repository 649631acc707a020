import java.util.ArrayList;
import java.util.List;

/**
 * An elevator simulation in the manner of the one that "High-level data races" and "Using block-local atomicity" were tried on.
 * People call lifts from floors; a dispatcher presses the buttons and shows which lift comes; lifts look for calls, claim
 * them, drive, board and let people out. Nothing is wrong with it.
 *
 * The papers' tools complain four times. The dispatcher uses calls with waiting people here, calls with a claim there, and
 * would have used all three of them in one block had the crowd been large enough (two false alarms, up and down). And a
 * lift looks whether somebody waits before it claims the call, where it looks again (two more).
 */
public class Elevator {
    static final int FLOORS = 6;
    static final int LIFTS = 2;
    static final int ROUNDS = 4;
    static final int CROWD = 100;
    static final int NOBODY = -1;

    /** Which way a lift drives. */
    enum Direction {
        UP,
        DOWN,
        NONE
    }

    /** Somebody who wants to get from one floor to another. */
    static final class Person {
        private final int from;
        private final int to;
        /** Who came to the same door before. */
        private Person before;

        Person(int from, int to) {
            this.from = from;
            this.to = to;
        }

        int from() {
            return from;
        }

        int to() {
            return to;
        }

        boolean goesUp() {
            return to > from;
        }

        /** Joins those who wait; used under the floor's lock. */
        Person join(Person waiting) {
            before = waiting;
            return this;
        }

        Person before() {
            return before;
        }
    }

    /** A floor with two buttons. All that changes is guarded by the floor's own lock. */
    static class Floor {
        private final int number;
        private Person upWaiting;
        private int upClaim = NOBODY;
        private int upCalls;
        private Person downWaiting;
        private int downClaim = NOBODY;
        private int downCalls;

        Floor(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        private static int crowd(Person last) {
            int people = 0;
            for (Person person = last; person != null; person = person.before()) {
                people++;
            }
            return people;
        }

        synchronized void pressUp(Person person) {
            upWaiting = person.join(upWaiting);
            upCalls++;
        }

        synchronized void pressDown(Person person) {
            downWaiting = person.join(downWaiting);
            downCalls++;
        }

        synchronized boolean isUpLit() {
            return upCalls > 0;
        }

        synchronized boolean isDownLit() {
            return downCalls > 0;
        }

        /** What the display beside the button shows: the lift that comes, and whether the crowd needs another one. */
        synchronized String upDisplay() {
            if (upCalls == 0) {
                return "";
            }
            if (upCalls > CROWD) {
                return "lift " + upClaim + ", " + crowd(upWaiting) + " wait";
            }
            return upClaim == NOBODY ? "called" : "lift " + upClaim; //~ paper high-level-race
        }

        synchronized String downDisplay() {
            if (downCalls == 0) {
                return "";
            }
            if (downCalls > CROWD) {
                return "lift " + downClaim + ", " + crowd(downWaiting) + " wait";
            }
            return downClaim == NOBODY ? "called" : "lift " + downClaim; //~ paper high-level-race
        }

        synchronized boolean hasUp() {
            return upWaiting != null;
        }

        synchronized boolean hasDown() {
            return downWaiting != null;
        }

        synchronized boolean claimUp(int lift) {
            if (upWaiting == null || upClaim != NOBODY) {
                return false;
            }
            upClaim = lift;
            return true;
        }

        synchronized boolean claimDown(int lift) {
            if (downWaiting == null || downClaim != NOBODY) {
                return false;
            }
            downClaim = lift;
            return true;
        }

        synchronized Person boardUp(int lift) {
            Person people = upWaiting;
            if (upClaim == lift) {
                upClaim = NOBODY;
            }
            upWaiting = null;
            upCalls = 0;
            return people;
        }

        synchronized Person boardDown(int lift) {
            Person people = downWaiting;
            if (downClaim == lift) {
                downClaim = NOBODY;
            }
            downWaiting = null;
            downCalls = 0;
            return people;
        }
    }

    /** The floors, and how many people have arrived where they wanted to be. */
    static class Building {
        private final Floor[] floors = new Floor[FLOORS];
        private int arrived;
        private boolean closed;

        Building() {
            for (int i = 0; i < FLOORS; i++) {
                floors[i] = new Floor(i);
            }
        }

        Floor floor(int number) {
            return floors[number];
        }

        synchronized void arrive(int people) {
            arrived += people;
            notifyAll();
        }

        synchronized void waitForArrivals(int people) throws InterruptedException {
            while (arrived < people) {
                wait();
            }
        }

        synchronized int arrived() {
            return arrived;
        }

        synchronized void close() {
            closed = true;
        }

        synchronized boolean isClosed() {
            return closed;
        }
    }

    /** People in a lift, sorted by where they want to get out. */
    static class Cabin {
        private final List<List<Person>> byTarget = new ArrayList<>();
        private int count;

        Cabin() {
            for (int i = 0; i < FLOORS; i++) {
                byTarget.add(new ArrayList<>());
            }
        }

        void enter(Person last) {
            for (Person person = last; person != null; person = person.before()) {
                byTarget.get(person.to()).add(person);
                count++;
            }
        }

        int leave(int floor) {
            List<Person> people = byTarget.get(floor);
            int leaving = people.size();
            people.clear();
            count -= leaving;
            return leaving;
        }

        boolean isEmpty() {
            return count == 0;
        }

        boolean wantsAbove(int floor) {
            for (int i = floor + 1; i < FLOORS; i++) {
                if (!byTarget.get(i).isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        boolean wantsBelow(int floor) {
            for (int i = 0; i < floor; i++) {
                if (!byTarget.get(i).isEmpty()) {
                    return true;
                }
            }
            return false;
        }
    }

    static class Lift extends Thread {
        private final Building building;
        private final int number;
        private final Cabin cabin = new Cabin();
        private int position;
        private int goal = NOBODY;
        private Direction direction = Direction.NONE;
        private int driven;

        Lift(Building building, int number) {
            super("lift-" + number);
            this.building = building;
            this.number = number;
            position = number % FLOORS;
        }

        private boolean tryUp(Floor floor) {
            if (floor.hasUp()) {
                return floor.claimUp(number); //~ paper stale-value
            }
            return false;
        }

        private boolean tryDown(Floor floor) {
            if (floor.hasDown()) {
                return floor.claimDown(number); //~ paper stale-value
            }
            return false;
        }

        /** Looks for a call and claims it. */
        private void findCall() {
            for (int i = 0; i < FLOORS && goal == NOBODY; i++) {
                Floor floor = building.floor((position + i) % FLOORS);
                if (tryUp(floor)) {
                    goal = floor.number();
                    direction = Direction.UP;
                } else if (tryDown(floor)) {
                    goal = floor.number();
                    direction = Direction.DOWN;
                }
            }
        }

        private void step(int towards) {
            position += Integer.compare(towards, position);
            driven++;
        }

        private void openDoors() {
            Floor floor = building.floor(position);
            int leaving = cabin.leave(position);
            if (direction == Direction.UP) {
                cabin.enter(floor.boardUp(number));
            } else if (direction == Direction.DOWN) {
                cabin.enter(floor.boardDown(number));
            }
            if (leaving > 0) {
                building.arrive(leaving);
            }
        }

        private void drive() {
            while (goal != position) {
                step(goal);
            }
            goal = NOBODY;
            openDoors();
            while (!cabin.isEmpty()) {
                if (direction == Direction.UP && !cabin.wantsAbove(position)) {
                    direction = Direction.DOWN;
                } else if (direction == Direction.DOWN && !cabin.wantsBelow(position)) {
                    direction = Direction.UP;
                }
                step(direction == Direction.UP ? FLOORS - 1 : 0);
                openDoors();
            }
            direction = Direction.NONE;
        }

        @Override
        public void run() {
            while (!building.isClosed()) {
                findCall();
                if (goal == NOBODY) {
                    Thread.yield();
                } else {
                    drive();
                }
            }
        }
    }

    /** Lets people come and press buttons, and watches the displays. */
    static class Dispatcher extends Thread {
        private final Building building;
        private int lit;
        private int shown;

        Dispatcher(Building building) {
            super("dispatcher");
            this.building = building;
        }

        private void call(Person person) {
            Floor floor = building.floor(person.from());
            if (person.goesUp()) {
                floor.pressUp(person);
            } else {
                floor.pressDown(person);
            }
        }

        private void look(Floor floor) {
            if (floor.isUpLit()) {
                lit++;
            }
            if (floor.isDownLit()) {
                lit++;
            }
            String up = floor.upDisplay();
            String down = floor.downDisplay();
            shown += up.length() + down.length();
        }

        @Override
        public void run() {
            int sent = 0;
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    for (int from = 0; from < FLOORS; from++) {
                        int to = (from + 1 + round) % FLOORS;
                        if (from != to) {
                            call(new Person(from, to));
                            sent++;
                        }
                        look(building.floor(from));
                    }
                    building.waitForArrivals(sent);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            building.close();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Building building = new Building();
        Dispatcher dispatcher = new Dispatcher(building);
        Lift[] lifts = new Lift[LIFTS];
        for (int i = 0; i < LIFTS; i++) {
            lifts[i] = new Lift(building, i);
            lifts[i].start();
        }
        dispatcher.start();
        dispatcher.join();
        int driven = 0;
        for (Lift lift : lifts) {
            lift.join();
            driven += lift.driven;
        }
        System.out.println("Elevator " + building.arrived() + " " + (driven > 0));
    }
}
