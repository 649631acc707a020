/**
 * Figure 8 of "Racer": a constructor sets a field and then starts a thread that uses it. start() hands the field over,
 * so this is a race for the paper alone.
 */
public class RacerConditionChecker {
    boolean conditionSetChanged;
    final Thread checkerThread;

    RacerConditionChecker() {
        checkerThread = new Thread(this::check);
        initConditionChecker();
        checkerThread.start();
    }

    void initConditionChecker() {
        conditionSetChanged = false; //~ paper data-race
    }

    void check() {
        conditionSetChanged = true; //~ paper data-race
    }

    public static void main(String[] args) throws InterruptedException {
        RacerConditionChecker checker = new RacerConditionChecker();
        checker.checkerThread.join();
        System.out.println("RacerConditionChecker done");
    }
}
