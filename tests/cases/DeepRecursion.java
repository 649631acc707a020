/** The stack overflows while monitors are held: every one of them is given up, and the error is the program's own. */
public class DeepRecursion {
    static int depth;

    synchronized int methodOk(int n) {
        depth = n;
        return methodOk(n + 1) + 1;
    }

    int blockOk(int n) {
        synchronized (this) {
            depth = n;
            return blockOk(n + 1);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        DeepRecursion deep = new DeepRecursion();
        int caught = 0;
        for (int i = 0; i < 5; i++) {
            try {
                deep.methodOk(0);
            } catch (StackOverflowError e) {
                caught++;
            }
            try {
                deep.blockOk(0);
            } catch (StackOverflowError e) {
                caught++;
            }
        }
        Thread other = new Thread(() -> {
            synchronized (deep) {
                depth = -1;
            }
        });
        other.start();
        other.join();
        System.out.println("DeepRecursion " + caught + " " + depth);
    }
}
