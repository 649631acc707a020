/** One array after the other that takes up more than half of the memory, by a thread that never synchronises. */
public class Big {
    public static void main(String[] args) {
        int length = Integer.parseInt(args[0]);
        long sum = 0;
        for (int round = 0; round < 8; round++) {
            int[] big = new int[length];
            publish = big;
            // Not in order, so that each access is told by itself.
            for (long i = 0; i < 10_000; i++) {
                int at = (int) (i * 7919 % length);
                big[at] = round;
                sum += publish[at];
            }
            publish = null;
            big = null;
        }
        System.out.println("sum " + sum);
    }

    static int[] publish;
}
