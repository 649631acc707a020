public class Arrays {
    public static void main(String[] args) {
        int[] i = new int[3];
        i[1] = 2;
        i[1] += 3;
        long[] j = new long[2];
        j[1] = i[1];
        j[0]++;
        double[] d = {1.5, 2.5};
        d[0] = d[1] * 2;
        float[] f = new float[1];
        f[0] = (float) d[0];
        byte[] b = new byte[1];
        b[0] = 7;
        boolean[] z = {true};
        z[0] = !z[0];
        char[] c = "ab".toCharArray();
        c[1] = c[0];
        short[] s = new short[1];
        s[0]--;
        Object[] o = new String[2];
        o[1] = "s" + o[0];
        int[][] deep = new int[2][2];
        deep[1][0] = deep[0][1] + 1;
        System.out.println(i[1] + j[1] + d[0] + f[0] + b[0] + " " + z[0] + c[1] + s[0] + o[1] + deep[1][0]);
        try {
            o[0] = 1;
        } catch (ArrayStoreException e) {
            System.out.println("stored");
        }
        try {
            j[2] = 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        double[] none = null;
        try {
            none[0] = 1;
        } catch (NullPointerException e) {
            System.out.println("none");
        }
    }
}
