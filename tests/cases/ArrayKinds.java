import support.Threads;

/** Arrays of every element type, used by two threads without a lock. */
public class ArrayKinds {
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

    static void firstElementBad() {
        BOOLEANS[0] = true; //~ data-race
        BYTES[0]++; //~ data-race
        CHARS[0]++; //~ data-race
        SHORTS[0]++; //~ data-race
        INTS[0]++; //~ data-race
        LONGS[0]++; //~ data-race
        FLOATS[0]++; //~ data-race
        DOUBLES[0]++; //~ data-race
        STRINGS[0] = "set"; //~ data-race
        ROWS[0] = INTS; //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        Threads.inTurn(ArrayKinds::firstElementBad, ArrayKinds::firstElementBad);
        System.out.println("ArrayKinds " + LONGS[0] + " " + DOUBLES[0]);
    }
}
