import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

public class Blocks {
    @Retention(RetentionPolicy.CLASS)
    @interface Atomic {}

    int n;

    @Atomic
    private int annotated(int by) {
        if (by < 0) throw new IllegalArgumentException("negative");
        if (by == 0) return n;
        return n += by;
    }

    protected void exported() {
        n++;
    }

    void hidden() {
        n--;
    }

    public synchronized void both() {
        n = 0;
    }

    public static void main(String[] args) {
        Blocks b = new Blocks();
        System.out.println(b.annotated(2) + b.annotated(0));
        try {
            b.annotated(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        b.exported();
        b.hidden();
        b.both();
    }
}
