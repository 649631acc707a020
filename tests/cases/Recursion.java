import support.Threads;

/** A recursive synchronized method holds its lock at every depth, and until the outermost call returns. */
public class Recursion {
    int unguarded;
    int guarded;

    void sink(int depth) {
        unguarded++; //~ data-race
        if (depth > 0) {
            sink(depth - 1);
        }
    }

    synchronized void dive(int depth) {
        if (depth > 0) {
            dive(depth - 1);
        }
        guarded++;
    }

    static int withoutLockBad() throws InterruptedException {
        Recursion shared = new Recursion();
        Threads.inTurn(() -> shared.sink(20), () -> shared.sink(20));
        return shared.unguarded;
    }

    static int lockedAtEveryDepthOk() throws InterruptedException {
        Recursion shared = new Recursion();
        Threads.inTurn(() -> shared.dive(20), () -> shared.dive(20));
        return shared.guarded;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("Recursion " + withoutLockBad() + " " + lockedAtEveryDepthOk());
    }
}
