/** Two races, one of them on purpose. */
public class Annotated {
    @interface RacyOnPurpose {
        String reason();
    }

    @RacyOnPurpose(reason = "a hint for people, nobody adds it up")
    static int guess;

    static int count;

    public static void main(String[] args) throws InterruptedException {
        Runnable body = () -> {
            for (int i = 0; i < 100; i++) {
                guess++;
                count++;
            }
        };
        Thread[] threads = {new Thread(body), new Thread(body)};
        for (Thread thread : threads) thread.start();
        for (Thread thread : threads) thread.join();
        System.out.println("done");
    }
}
