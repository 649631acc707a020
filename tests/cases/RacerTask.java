import support.Invisible;

/** Figure 1 of "Racer": of three counters, only the static one that no lock protects is raced for. */
public class RacerTask implements Runnable {
    static int shared;
    static int sharedProtected;
    int notShared;

    @Override
    public void run() {
        Invisible.meet(2);
        shared++; //~ data-race
        synchronized (RacerTask.class) {
            sharedProtected++;
        }
        notShared++;
    }

    static void twoTasksBad() throws InterruptedException {
        Invisible.restart();
        RacerTask task1 = new RacerTask();
        RacerTask task2 = new RacerTask();
        Thread thread1 = new Thread(task1);
        Thread thread2 = new Thread(task2);
        thread1.start();
        thread2.start();
        thread1.join();
        thread2.join();
        System.out.println("RacerTask " + (task1.notShared + task2.notShared));
    }

    public static void main(String[] args) throws InterruptedException {
        twoTasksBad();
        System.out.println("RacerTask " + sharedProtected);
    }
}
