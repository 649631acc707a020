public class Fields {
    int number;
    long wide;
    double real;
    String text;
    boolean flag;
    volatile int loud;
    volatile long loudWide;
    static int shared;
    static long sharedWide;
    static volatile String sharedLoud;
    static final int[] CONSTANT = {1, 2};

    static class Base {
        protected int inherited = 1;
    }

    static class Derived extends Base {
        int add(int by) {
            inherited += by;
            return super.inherited;
        }
    }

    static class Other {
        int plain = 3;
        volatile double loud = 1.5;
        static long counter = 4;
        static volatile int loudCounter = 5;
        private int hidden = 6;
        static final Object LOCK = new Object();
    }

    void own() {
        number = 1;
        number += 2;
        wide = 3L;
        wide++;
        real = number + wide;
        text = "t";
        flag = text != null;
        loud = 4;
        loud++;
        loudWide = loud;
        shared = number;
        shared++;
        sharedWide = shared + 1L;
        sharedLoud = text;
        System.out.println(real + " " + flag + " " + loudWide + " " + sharedWide + sharedLoud + CONSTANT[1]);
    }

    static void others() {
        Other other = new Other();
        other.plain = other.plain + 1;
        other.loud = other.loud * 2;
        Other.counter++;
        Other.loudCounter += 2;
        other.hidden++;
        System.out.println(other.plain + other.loud + Other.counter + Other.loudCounter + other.hidden);
        System.out.println(Other.LOCK != null);
        System.out.println(new Derived().add(2));
    }

    static void missing() {
        Fields none = null;
        Other nobody = null;
        try {
            System.out.println(none.number);
        } catch (NullPointerException e) {
            System.out.println("own");
        }
        try {
            none.wide = 3;
        } catch (NullPointerException e) {
            System.out.println("own wide");
        }
        try {
            none.loud = 3;
        } catch (NullPointerException e) {
            System.out.println("own volatile");
        }
        try {
            nobody.loud = 2;
        } catch (NullPointerException e) {
            System.out.println("other");
        }
        try {
            System.out.println(nobody.plain);
        } catch (NullPointerException e) {
            System.out.println("other read");
        }
    }

    void loop() {
        for (int i = 0; i < 5; i++) {
            number = i;
            wide += number;
        }
        System.out.println(wide);
    }

    public static void main(String[] args) {
        new Fields().own();
        others();
        missing();
        new Fields().loop();
    }
}
