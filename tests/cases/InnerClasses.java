import support.Threads;

/** Inner, local and anonymous classes use the private fields of their outer object. */
public class InnerClasses {
    private int open;
    private int guarded;

    private class Inner {
        void bump() {
            open++; //~ data-race
        }

        void bumpGuarded() {
            synchronized (InnerClasses.this) {
                guarded++;
            }
        }
    }

    Threads.Body anonymous(boolean locked) {
        return new Threads.Body() {
            @Override
            public void run() {
                if (locked) {
                    synchronized (InnerClasses.this) {
                        guarded++;
                    }
                } else {
                    open++; //~ data-race
                }
            }
        };
    }

    static int innerAndAnonymousBad() throws InterruptedException {
        InnerClasses outer = new InnerClasses();
        Inner inner = outer.new Inner();
        Threads.inTurn(inner::bump, outer.anonymous(false));
        return outer.open;
    }

    static int innerAndAnonymousOk() throws InterruptedException {
        InnerClasses outer = new InnerClasses();
        Inner inner = outer.new Inner();
        Threads.inTurn(inner::bumpGuarded, outer.anonymous(true));
        return outer.guarded;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("InnerClasses " + innerAndAnonymousBad() + " " + innerAndAnonymousOk());
    }
}
