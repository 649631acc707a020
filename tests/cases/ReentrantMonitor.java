import support.Threads;

/** A monitor that is taken twice is given up by the second exit, not by the first. */
public class ReentrantMonitor {
    int early;
    int late;
    int inner;

    synchronized void increaseLate() {
        inner++;
        bump();
        late++; // still locked, although bump() has left the monitor
    }

    synchronized void bump() {
        inner++;
    }

    void increaseEarly() {
        synchronized (this) {
            synchronized (this) {
                inner++;
            }
        }
        early++; //~ data-race
    }

    static int afterTheOuterExitBad() throws InterruptedException {
        ReentrantMonitor shared = new ReentrantMonitor();
        Threads.inTurn(shared::increaseEarly, shared::increaseEarly);
        return shared.early;
    }

    static int afterTheInnerExitOk() throws InterruptedException {
        ReentrantMonitor shared = new ReentrantMonitor();
        Threads.inTurn(shared::increaseLate, shared::increaseLate);
        return shared.late;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("ReentrantMonitor " + afterTheOuterExitBad() + " " + afterTheInnerExitOk());
    }
}
