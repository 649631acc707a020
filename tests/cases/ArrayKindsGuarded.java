import support.Threads;

/** Arrays of every element type, used by two threads under a lock. A file of its own: races are told by type. */
public class ArrayKindsGuarded {
    static final boolean[] BOOLEANS = new boolean[1];
    static final byte[] BYTES = new byte[1];
    static final char[] CHARS = new char[1];
    static final short[] SHORTS = new short[1];
    static final int[] INTS = new int[1];
    static final long[] LONGS = new long[1];
    static final float[] FLOATS = new float[1];
    static final double[] DOUBLES = new double[1];
    static final String[] STRINGS = new String[1];
    static final int[][] ROWS = new int[1][];

    static synchronized void firstElementOk() {
        BOOLEANS[0] = true;
        BYTES[0]++;
        CHARS[0]++;
        SHORTS[0]++;
        INTS[0]++;
        LONGS[0]++;
        FLOATS[0]++;
        DOUBLES[0]++;
        STRINGS[0] = "set";
        ROWS[0] = INTS;
    }

    public static void main(String[] args) throws InterruptedException {
        Threads.inTurn(ArrayKindsGuarded::firstElementOk, ArrayKindsGuarded::firstElementOk);
        System.out.println("ArrayKindsGuarded " + LONGS[0] + " " + DOUBLES[0]);
    }
}
