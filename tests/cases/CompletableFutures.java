import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import support.Invisible;

/** Each stage of a CompletableFuture hands over to the next one, and to whoever joins. */
public class CompletableFutures {
    static final int[] PARTS = new int[2];
    static int meddled;
    static int handed;
    static int completed;

    static void writtenBesideTheStageBad(ExecutorService pool) {
        Invisible.restart();
        CompletableFuture<Void> stage = CompletableFuture.runAsync(() -> {
            Invisible.step(1);
            meddled++; //~ data-race
        }, pool);
        meddled = 1; //~ data-race
        Invisible.step(0);
        stage.join();
    }

    static int stagesOk(ExecutorService pool) {
        handed = 1;
        int result = CompletableFuture.supplyAsync(() -> ++handed, pool)
                .thenApply(n -> n + ++handed)
                .thenApplyAsync(n -> n + ++handed, pool)
                .join();
        handed++;
        return result;
    }

    static int allOfOk(ExecutorService pool) {
        CompletableFuture<Void> left = CompletableFuture.runAsync(() -> PARTS[0] = 3, pool);
        CompletableFuture<Void> right = CompletableFuture.runAsync(() -> PARTS[1] = 4, pool);
        CompletableFuture.allOf(left, right).join();
        return PARTS[0] + PARTS[1];
    }

    static void completedByHandOk(ExecutorService pool) {
        CompletableFuture<String> future = new CompletableFuture<>();
        pool.execute(() -> {
            completed = 1;
            future.complete("done");
        });
        future.join();
        completed++;
    }

    public static void main(String[] args) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        writtenBesideTheStageBad(pool);
        int stages = stagesOk(pool);
        int all = allOfOk(pool);
        completedByHandOk(pool);
        pool.shutdown();
        System.out.println(
                "CompletableFutures " + meddled + " " + handed + " " + stages + " " + all + " " + completed);
    }
}
