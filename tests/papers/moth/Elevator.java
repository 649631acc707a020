import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The elevator simulation of von Praun and Gross as MoTH's second table has it: people press buttons on floors, lifts claim the
 * calls, drive there, board and let out, and a control room watches. Each accessor is synchronized; whoever asks with one
 * and writes with another acts on what may be gone: sixteen stale values, counted, claimed, compared, kept in an object, asked for
 * by somebody else, under a monitor or under a lock.
 */
public class Elevator {
    static final int FLOORS = 6;
    static final int LIFTS = 2;
    static final int ROUNDS = 6;
    static final int CAPACITY = 5;
    static final int NOBODY = -1;

    enum Direction {
        UP,
        DOWN,
        NONE
    }

    /** A floor with two buttons and two queues. */
    static class Floor {
        private final int number;
        private int upWaiting;
        private int downWaiting;
        private int upClaim = NOBODY;
        private int downClaim = NOBODY;
        private int upCalls;
        private int downCalls;

        Floor(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        synchronized int getUpWaiting() {
            return upWaiting;
        }

        synchronized void setUpWaiting(int people) {
            upWaiting = people;
        }

        synchronized int getDownWaiting() {
            return downWaiting;
        }

        synchronized void setDownWaiting(int people) {
            downWaiting = people;
        }

        synchronized int getUpClaim() {
            return upClaim;
        }

        synchronized void setUpClaim(int lift) {
            upClaim = lift;
        }

        synchronized int getDownClaim() {
            return downClaim;
        }

        synchronized void setDownClaim(int lift) {
            downClaim = lift;
        }

        synchronized int getUpCalls() {
            return upCalls;
        }

        synchronized void setUpCalls(int calls) {
            upCalls = calls;
        }

        synchronized int getDownCalls() {
            return downCalls;
        }

        synchronized void setDownCalls(int calls) {
            downCalls = calls;
        }

        /** Takes as many people as there is room for, all in one block. */
        synchronized int boardUp(int room) {
            int boarding = Math.min(room, upWaiting);
            upWaiting -= boarding;
            return boarding;
        }

        synchronized int boardDown(int room) {
            int boarding = Math.min(room, downWaiting);
            downWaiting -= boarding;
            return boarding;
        }

        synchronized void releaseUp() {
            upClaim = NOBODY;
        }

        synchronized void releaseDown() {
            downClaim = NOBODY;
        }

        void callUp(int people) {
            setUpWaiting(getUpWaiting() + people); //~ stale-value
        }

        void callDown(int people) {
            int before;
            synchronized (this) {
                before = downWaiting;
            }
            int after = before + people;
            synchronized (this) {
                downWaiting = after; //~ stale-value
            }
        }

        void countUp() {
            int calls = getUpCalls();
            setUpCalls(next(calls)); //~ stale-value
        }

        void countDown() {
            int calls = getDownCalls();
            if (calls == Integer.MAX_VALUE) {
                calls = 0;
            }
            setDownCalls(calls + 1); //~ stale-value
        }

        private static int next(int count) {
            return count + 1;
        }

        boolean claimUp(int lift) {
            if (getUpClaim() == NOBODY) {
                setUpClaim(lift); //~ stale-value
                return true;
            }
            return false;
        }

        boolean claimDown(int lift) {
            int claim = getDownClaim();
            if (claim != NOBODY) {
                return claim == lift;
            }
            setDownClaim(lift); //~ stale-value
            return true;
        }
    }

    /** What the control room knows of all lifts together. */
    static class ControlRoom {
        private int arrived;
        private int driven;
        private int longest;
        /** The meter has a lock of its own. */
        private final ReentrantLock meter = new ReentrantLock();
        private int energy;
        private int doorsOpened;
        private int alarms;

        synchronized int getArrived() {
            return arrived;
        }

        synchronized void setArrived(int people) {
            arrived = people;
        }

        synchronized int getDriven() {
            return driven;
        }

        synchronized void setDriven(int floors) {
            driven = floors;
        }

        synchronized int getLongest() {
            return longest;
        }

        synchronized void setLongest(int floors) {
            longest = floors;
        }

        int getEnergy() {
            meter.lock();
            try {
                return energy;
            } finally {
                meter.unlock();
            }
        }

        void setEnergy(int used) {
            meter.lock();
            try {
                energy = used;
            } finally {
                meter.unlock();
            }
        }

        synchronized int getDoorsOpened() {
            return doorsOpened;
        }

        synchronized void setDoorsOpened(int times) {
            doorsOpened = times;
        }

        synchronized int getAlarms() {
            return alarms;
        }

        synchronized void setAlarms(int count) {
            alarms = count;
        }

        void arrive(int people) {
            setArrived(getArrived() + people); //~ stale-value
        }

        void drive() {
            int floors = getDriven();
            setDriven(floors < Integer.MAX_VALUE ? floors + 1 : 0); //~ stale-value
        }

        void trip(int floors) {
            if (floors > getLongest()) {
                setLongest(floors); //~ stale-value
            }
        }

        void useEnergy(int amount) {
            setEnergy(getEnergy() + amount); //~ stale-value
        }

        void openDoors() {
            setDoorsOpened(opened(1)); //~ stale-value
        }

        /** How often doors will have been opened, if they are opened so often now. */
        private int opened(int more) {
            return getDoorsOpened() + more;
        }

        void alarm() {
            switch (getAlarms()) {
                case 0:
                    setAlarms(1); //~ stale-value
                    break;
                case Integer.MAX_VALUE:
                    break;
                default:
                    raiseAlarms();
                    break;
            }
        }

        private synchronized void raiseAlarms() {
            alarms++;
        }
    }

    /** A number as it was when it was looked at. */
    static final class Reading {
        int value;

        Reading(int value) {
            this.value = value;
        }
    }

    /** Which lift is to come, and how much there is to do. */
    static class Schedule {
        private int nextLift;
        private int pending;
        private int active;
        private int shift;

        synchronized int getNextLift() {
            return nextLift;
        }

        synchronized void setNextLift(int lift) {
            nextLift = lift;
        }

        synchronized int getPending() {
            return pending;
        }

        synchronized void setPending(int calls) {
            pending = calls;
        }

        synchronized int getActive() {
            return active;
        }

        synchronized void setActive(int lifts) {
            active = lifts;
        }

        synchronized int getShift() {
            return shift;
        }

        synchronized void setShift(int number) {
            shift = number;
        }

        int preferred() {
            int lift = getNextLift();
            setNextLift((lift + 1) % LIFTS); //~ stale-value
            return lift;
        }

        void expect(int calls) {
            Reading reading = new Reading(getPending());
            reading.value += calls;
            setPending(reading.value); //~ stale-value
        }

        void join() {
            int lifts = 0;
            try {
                lifts = getActive();
                if (lifts > LIFTS) {
                    throw new IllegalStateException("too many lifts");
                }
            } finally {
                setActive(lifts + 1); //~ stale-value
            }
        }

        void changeShift() {
            synchronized (this) {
                if (shift < 0) {
                    return;
                }
            }
            synchronized (this) {
                shift++; //~ stale-value
            }
        }
    }

    static class Building {
        private final Floor[] floors = new Floor[FLOORS];
        private final ControlRoom control = new ControlRoom();
        private final Schedule schedule = new Schedule();

        Building() {
            for (int i = 0; i < FLOORS; i++) {
                floors[i] = new Floor(i);
            }
        }

        Floor floor(int number) {
            return floors[number];
        }

        ControlRoom control() {
            return control;
        }

        Schedule schedule() {
            return schedule;
        }
    }

    /** People in a lift, counted by where they want to get out. Each lift has its own. */
    static class Cabin {
        private final int[] byTarget = new int[FLOORS];
        private int count;

        int room() {
            return CAPACITY - count;
        }

        void enter(int people, int to) {
            byTarget[to] += people;
            count += people;
        }

        int leave(int floor) {
            int leaving = byTarget[floor];
            byTarget[floor] = 0;
            count -= leaving;
            return leaving;
        }

        boolean isEmpty() {
            return count == 0;
        }
    }

    /** When people come: fixed before the day begins. */
    static final class Timetable {
        private final int[] from = new int[ROUNDS];
        private final int[] groups = new int[ROUNDS];

        Timetable(int side) {
            for (int i = 0; i < ROUNDS; i++) {
                from[i] = (i + side) % FLOORS;
                groups[i] = 1 + i % 2;
            }
        }

        int floor(int round) {
            return from[round];
        }

        int people(int round) {
            return groups[round];
        }
    }

    static class Lift extends Thread {
        private final Building building;
        private final int number;
        private final Cabin cabin = new Cabin();
        private int position;
        private int travelled;
        private Direction direction = Direction.NONE;

        Lift(Building building, int number) {
            super("lift-" + number);
            this.building = building;
            this.number = number;
            position = number * 2 % FLOORS;
        }

        private void step(int towards) {
            position += Integer.compare(towards, position);
            travelled++;
            building.control().drive();
            building.control().useEnergy(direction == Direction.UP ? 3 : 1);
        }

        private void openDoors() {
            building.control().openDoors();
            int leaving = cabin.leave(position);
            if (leaving > 0) {
                building.control().arrive(leaving);
            }
            if (cabin.room() == 0) {
                building.control().alarm();
            }
        }

        private void serveUp(Floor floor) {
            direction = Direction.UP;
            while (position != floor.number()) {
                step(floor.number());
            }
            cabin.enter(floor.boardUp(cabin.room()), FLOORS - 1);
            floor.releaseUp();
            while (!cabin.isEmpty() && position < FLOORS - 1) {
                step(FLOORS - 1);
                openDoors();
            }
            openDoors();
        }

        private void serveDown(Floor floor) {
            direction = Direction.DOWN;
            while (position != floor.number()) {
                step(floor.number());
            }
            cabin.enter(floor.boardDown(cabin.room()), 0);
            floor.releaseDown();
            while (!cabin.isEmpty() && position > 0) {
                step(0);
                openDoors();
            }
            openDoors();
        }

        private void round() {
            travelled = 0;
            int preferred = building.schedule().preferred();
            int start = preferred == number ? 0 : FLOORS / 2;
            for (int i = 0; i < FLOORS; i++) {
                Floor floor = building.floor((start + i) % FLOORS);
                if (floor.claimUp(number)) {
                    serveUp(floor);
                }
                if (floor.claimDown(number)) {
                    serveDown(floor);
                }
            }
            building.control().trip(travelled);
            direction = Direction.NONE;
        }

        @Override
        public void run() {
            building.schedule().join();
            for (int round = 0; round < ROUNDS; round++) {
                round();
                building.schedule().changeShift();
                Thread.yield();
            }
        }
    }

    /** People who come from one side of the house and press buttons. */
    static class People extends Thread {
        private final Building building;
        private final Timetable timetable;

        People(Building building, int side) {
            super("people-" + side);
            this.building = building;
            timetable = new Timetable(side);
        }

        private void comeUp(Floor floor, int people) {
            floor.callUp(people);
            floor.countUp();
            building.schedule().expect(1);
        }

        private void comeDown(Floor floor, int people) {
            floor.callDown(people);
            floor.countDown();
            building.schedule().expect(1);
        }

        @Override
        public void run() {
            for (int i = 0; i < ROUNDS; i++) {
                int from = timetable.floor(i);
                if (from < FLOORS - 1) {
                    comeUp(building.floor(from), timetable.people(i));
                }
                if (from > 0) {
                    comeDown(building.floor(from), 1);
                }
                Thread.yield();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Building building = new Building();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(new People(building, i));
        }
        for (int i = 0; i < LIFTS; i++) {
            threads.add(new Lift(building, i));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(building.control().getArrived() >= 0);
    }
}
