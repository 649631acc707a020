import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import support.Invisible;

/** Futures made of futures: the whole is done when its parts are, and hands over what they did. */
public class CompletableCompose {
    static int besides;
    static int composed;
    static int left;
    static int right;

    static void partsBesideEachOtherBad(ExecutorService pool) {
        Invisible.restart();
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
            Invisible.meet(2);
            besides = 1; //~ data-race
            Invisible.step(0);
        }, pool);
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            Invisible.meet(2);
            Invisible.step(1);
            besides++; //~ data-race
        }, pool);
        first.thenCombine(second, (a, b) -> a).join();
    }

    static void composeOk(ExecutorService pool) {
        CompletableFuture.runAsync(() -> composed = 1, pool)
                .thenCompose(nothing -> CompletableFuture.runAsync(() -> composed++, pool))
                .join();
        composed++;
    }

    static int combineOk(ExecutorService pool) {
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> left = 3, pool);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> right = 4, pool);
        return one.thenCombine(other, (a, b) -> left + right).join();
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        partsBesideEachOtherBad(pool);
        composeOk(pool);
        int combined = combineOk(pool);
        pool.shutdown();
        System.out.println("CompletableCompose " + besides + " " + composed + " " + combined);
    }
}
