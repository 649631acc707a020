/**
 * Figure 1 of "Racer": two tasks in two threads. Both use `shared` without a lock, `sharedProtected` under the lock of the class,
 * and each its own `notShared`.
 */
public class Task implements Runnable {
    static int shared;
    static int sharedProtected;
    int notShared;

    @Override
    public void run() {
        note(shared++); //~ data-race
        synchronized (Task.class) {
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
        Task task1 = new Task();
        Task task2 = new Task();
        Thread thread1 = new Thread(task1);
        Thread thread2 = new Thread(task2);
        thread1.start();
        thread2.start();
        thread1.join();
        thread2.join();
        synchronized (Task.class) {
            System.out.println("Task " + sharedProtected);
        }
    }
}
