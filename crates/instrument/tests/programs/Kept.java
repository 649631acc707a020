/** What is told of objects that a method makes: nothing as long as nobody else can see them. */
public class Kept {
    static Object seen;
    int own;

    static class Box {
        int value;
        volatile int loud;
    }

    static class Chained extends Box {
        int more;
    }

    static class Leaky {
        int value;

        Leaky() {
            seen = this;
        }
    }

    static class BelowLeaky extends Leaky {
        int more;
    }

    static class Finalised {
        int value;

        @Override
        protected void finalize() {}
    }

    static int kept(int n) {
        Box box = new Box();
        box.value = n;
        box.loud = box.value;
        Chained chained = new Chained();
        chained.more = box.value;
        Kept mine = new Kept();
        mine.own = chained.more;
        int[] sums = new int[2];
        for (int i = 0; i < 2; i++) sums[i] += mine.own;
        return sums[0] + sums[1];
    }

    static int leaked(int n) {
        Leaky leaky = new Leaky();
        leaky.value = n;
        BelowLeaky below = new BelowLeaky();
        below.more = leaky.value;
        Finalised finalised = new Finalised();
        finalised.value = below.more;
        return finalised.value;
    }

    static Box given(int n) {
        Box box = new Box();
        box.value = n;
        Box stored = new Box();
        stored.value = box.value;
        seen = stored;
        return box;
    }

    public static void main(String[] args) {
        System.out.println(kept(1) + " " + leaked(2) + " " + (given(3) != null));
    }
}
