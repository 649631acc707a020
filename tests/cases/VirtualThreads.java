import java.lang.reflect.Method;
import support.Invisible;

/** Virtual threads race like others, and start() and join() order them like others. Needs JDK 21. */
public class VirtualThreads {
    static int early;
    static int handed;

    static Thread start(Method starter, Runnable body) throws ReflectiveOperationException {
        return (Thread) starter.invoke(null, body);
    }

    static void twoVirtualThreadsBad(Method starter) throws Exception {
        Invisible.restart();
        Thread first = start(starter, () -> {
            early = 1; //~ data-race
            Invisible.step(0);
        });
        Thread second = start(starter, () -> {
            Invisible.step(1);
            early++; //~ data-race
        });
        first.join();
        second.join();
    }

    static void startAndJoinOk(Method starter) throws Exception {
        handed = 1;
        Thread thread = start(starter, () -> handed++);
        thread.join();
        handed++;
    }

    public static void main(String[] args) throws Exception {
        Method starter;
        try {
            starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            System.out.println("VirtualThreads skip: needs JDK 21");
            return;
        }
        twoVirtualThreadsBad(starter);
        startAndJoinOk(starter);
        System.out.println("VirtualThreads " + early + " " + handed);
    }
}
