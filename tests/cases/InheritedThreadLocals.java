import support.Invisible;

/** A child thread inherits the parent's very object, unless childValue() makes a new one. */
public class InheritedThreadLocals {
    static class OpenContext {
        int depth;
    }

    static class Context {
        int depth;
    }

    static final InheritableThreadLocal<OpenContext> SAME = new InheritableThreadLocal<>();
    static final InheritableThreadLocal<Context> COPY = new InheritableThreadLocal<>() {
        @Override
        protected Context childValue(Context parent) {
            Context child = new Context();
            child.depth = parent.depth;
            return child;
        }
    };

    static void inheritedObjectBad() throws InterruptedException {
        Invisible.restart();
        SAME.set(new OpenContext());
        Thread child = new Thread(() -> {
            Invisible.step(1);
            SAME.get().depth++; //~ data-race
        });
        child.start();
        SAME.get().depth++; //~ data-race
        Invisible.step(0);
        child.join();
    }

    static void copiedObjectOk() throws InterruptedException {
        COPY.set(new Context());
        Thread child = new Thread(() -> COPY.get().depth++);
        child.start();
        COPY.get().depth++;
        child.join();
    }

    public static void main(String[] args) throws InterruptedException {
        inheritedObjectBad();
        copiedObjectOk();
        System.out.println("InheritedThreadLocals " + SAME.get().depth + " " + COPY.get().depth);
    }
}
