/** Takes a lock so often that the method ought to be compiled. */
public class Hot {
    private int count;

    static int locked(Hot hot) {
        synchronized (hot) {
            return ++hot.count;
        }
    }

    public static void main(String[] args) {
        Hot hot = new Hot();
        for (int i = 0; i < 200_000; i++) locked(hot);
        System.out.println("sum " + hot.count);
    }
}
