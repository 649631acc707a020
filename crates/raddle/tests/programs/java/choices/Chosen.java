import java.nio.file.Files;
import java.nio.file.Path;

/** Two threads, a lock in a class of its own, a hand-over of its own, and a class that is defined without its name. */
public class Chosen {
    static int guarded, handed;

    /** Keeps others apart. */
    static class Gate {
        static void run(Runnable inside) {
            synchronized (Gate.class) {
                inside.run();
            }
        }
    }

    /** Hands over in a way that nobody can see from outside. */
    static class Post {
        static final Post POST = new Post();
        private volatile boolean sent;

        void send() {
            sent = true;
        }

        void receive() {
            while (!sent) Thread.onSpinWait();
        }
    }

    /** Races in a class that its loader does not name. */
    public static class Nameless implements Runnable {
        static int racy;

        public void run() {
            for (int i = 0; i < 100; i++) racy++;
        }
    }

    static class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static void both(Runnable one, Runnable other) throws InterruptedException {
        Thread first = new Thread(one), second = new Thread(other);
        first.start();
        second.start();
        first.join();
        second.join();
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "gate":
                both(() -> Gate.run(() -> guarded++), () -> Gate.run(() -> guarded++));
                break;
            case "post":
                both(() -> {
                    handed++;
                    Post.POST.send();
                }, () -> {
                    Post.POST.receive();
                    handed++;
                });
                break;
            case "nameless":
                byte[] bytes = Files.readAllBytes(Path.of(args[1], "Chosen$Nameless.class"));
                Class<?> defined = new Loader().define(bytes);
                Runnable racer = (Runnable) defined.getConstructor().newInstance();
                both(racer, racer);
                break;
            default:
                System.exit(99);
        }
        System.out.println("done");
    }
}
