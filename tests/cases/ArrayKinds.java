import support.Threads;

/** Arrays of every element type. */
public class ArrayKinds {
    static final boolean[] BOOLEANS = new boolean[2];
    static final byte[] BYTES = new byte[2];
    static final char[] CHARS = new char[2];
    static final short[] SHORTS = new short[2];
    static final int[] INTS = new int[2];
    static final long[] LONGS = new long[2];
    static final float[] FLOATS = new float[2];
    static final double[] DOUBLES = new double[2];
    static final String[] STRINGS = new String[2];
    static final int[][] ROWS = new int[2][];

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

    static synchronized void secondElementOk() {
        BOOLEANS[1] = true;
        BYTES[1]++;
        CHARS[1]++;
        SHORTS[1]++;
        INTS[1]++;
        LONGS[1]++;
        FLOATS[1]++;
        DOUBLES[1]++;
        STRINGS[1] = "set";
        ROWS[1] = INTS;
    }

    public static void main(String[] args) throws InterruptedException {
        Threads.inTurn(ArrayKinds::firstElementBad, ArrayKinds::firstElementBad);
        Threads.inTurn(ArrayKinds::secondElementOk, ArrayKinds::secondElementOk);
        System.out.println("ArrayKinds " + LONGS[0] + " " + DOUBLES[0] + " " + LONGS[1] + " " + DOUBLES[1]);
    }
}
