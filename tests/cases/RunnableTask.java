import support.Invisible;

/** One Runnable object given to two threads is shared; one for each thread is not. */
public class RunnableTask {
    static class Shared implements Runnable {
        int count;

        @Override
        public void run() {
            Invisible.meet(2);
            bump();
        }

        private void bump() {
            count++; //~ data-race
        }
    }

    static class Own implements Runnable {
        int count;

        @Override
        public void run() {
            count++;
        }
    }

    static void oneTaskForTwoThreadsBad() throws InterruptedException {
        Invisible.restart();
        Shared task = new Shared();
        Thread first = new Thread(task);
        Thread second = new Thread(task);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    static int oneTaskForEachOk() throws InterruptedException {
        Own left = new Own();
        Own right = new Own();
        Thread first = new Thread(left);
        Thread second = new Thread(right);
        first.start();
        second.start();
        first.join();
        second.join();
        return left.count + right.count;
    }

    public static void main(String[] args) throws InterruptedException {
        oneTaskForTwoThreadsBad();
        System.out.println("RunnableTask " + oneTaskForEachOk());
    }
}
