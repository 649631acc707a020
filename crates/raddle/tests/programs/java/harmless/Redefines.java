import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.Arrays;

/** An agent that changes a class again and again while threads use it. */
public class Redefines {
    static Instrumentation tools;
    static String word = "first.";

    public static class Target {
        static int shared;
        final Object lock = new Object();
        private int mine;

        public String value() {
            synchronized (lock) {
                mine++;
            }
            return "first.";
        }

        synchronized int count() {
            return ++shared;
        }
    }

    public static void premain(String options, Instrumentation given) {
        tools = given;
    }

    /** The bytes of a class with one word for another. */
    static byte[] changed(byte[] bytes, String from, String to) {
        byte[] old = from.getBytes(StandardCharsets.UTF_8), now = to.getBytes(StandardCharsets.UTF_8);
        byte[] copy = bytes.clone();
        for (int i = 0; i + old.length <= copy.length; i++) {
            if (Arrays.equals(copy, i, i + old.length, old, 0, old.length)) {
                System.arraycopy(now, 0, copy, i, now.length);
            }
        }
        return copy;
    }

    public static void main(String[] args) throws Exception {
        Target target = new Target();
        System.out.println(target.value() + target.count());
        Thread user = new Thread(() -> {
            for (int i = 0; i < 2000; i++) target.count();
        });
        user.start();
        tools.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
                return "Redefines$Target".equals(name) ? changed(bytes, "first.", word) : null;
            }
        }, true);
        word = "second";
        tools.retransformClasses(Target.class);
        System.out.println(target.value());
        word = "third.";
        tools.retransformClasses(Target.class);
        System.out.println(target.value() + new Target().value());
        byte[] bytes;
        try (InputStream in = Redefines.class.getResourceAsStream("Redefines$Target.class")) {
            bytes = in.readAllBytes();
        }
        word = "first.";
        tools.redefineClasses(new ClassDefinition(Target.class, changed(bytes, "first.", "fourth")));
        System.out.println(target.value());
        user.join();
        System.out.println(target.count());
        try (InputStream in = Redefines.class.getResourceAsStream("Redefines.class")) {
            tools.redefineClasses(new ClassDefinition(Target.class, in.readAllBytes()));
        } catch (NoClassDefFoundError | UnsupportedOperationException e) {
            System.out.println("another class: " + e.getClass().getName());
        }
        System.out.println(Target.class.getDeclaredFields().length + " " + Target.class.getDeclaredMethods().length);
    }
}
