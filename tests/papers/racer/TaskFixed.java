/** The tasks of Task, with both counters under the lock. */
public class TaskFixed implements Runnable {
    static int shared;
    static int sharedProtected;
    int notShared;

    @Override
    public void run() {
        synchronized (TaskFixed.class) {
            note(shared++);
            note(sharedProtected++);
        }
        note(notShared++);
    }

    private static void note(int value) {
        if (value < 0) {
            throw new IllegalStateException("counted backwards");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        TaskFixed task1 = new TaskFixed();
        TaskFixed task2 = new TaskFixed();
        Thread thread1 = new Thread(task1);
        Thread thread2 = new Thread(task2);
        thread1.start();
        thread2.start();
        thread1.join();
        thread2.join();
        synchronized (TaskFixed.class) {
            System.out.println("TaskFixed " + sharedProtected);
        }
    }
}
