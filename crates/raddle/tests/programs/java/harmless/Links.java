import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Links classes of java.base, and one in some of those of jars on the class path, and tells what became of each. */
public class Links {
    public static void main(String[] args) throws Exception {
        List<String> names = base();
        int step = Integer.parseInt(args[0]);
        List<String> others = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            try (ZipFile jar = new ZipFile(args[i])) {
                for (ZipEntry entry : Collections.list(jar.entries())) {
                    if (isClass(entry.getName()) && !entry.getName().startsWith("META-INF/")) others.add(dotted(entry.getName()));
                }
            }
        }
        for (int i = 0; i < others.size(); i += step) names.add(others.get(i));
        // Two threads, so that classes are also woven beside each other.
        ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            int first = t;
            threads[t] = new Thread(() -> {
                for (int i = first; i < names.size(); i += threads.length) told.add(names.get(i) + " " + outcome(names.get(i)));
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        List<String> sorted = new ArrayList<>(told);
        Collections.sort(sorted);
        sorted.forEach(System.out::println);
    }

    private static boolean isClass(String name) {
        return name.endsWith(".class") && !name.endsWith("module-info.class");
    }

    private static String dotted(String name) {
        return name.substring(0, name.length() - ".class".length()).replace('/', '.');
    }

    /** The packages in which threads, locks, collections and reflection live. */
    private static List<String> base() throws Exception {
        List<String> packages = List.of("java.lang.", "java.util.", "java.io.", "java.nio.channels.", "jdk.internal.misc.",
            "jdk.internal.reflect.", "jdk.internal.vm.", "sun.nio.ch.");
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> all = Files.walk(root)) {
            return all.map(path -> root.relativize(path).toString()).filter(Links::isClass).map(Links::dotted)
                .filter(name -> packages.stream().anyMatch(name::startsWith)).sorted().collect(Collectors.toList());
        }
    }

    /** How many members of each sort a class has once it is linked, or why it cannot be. */
    private static String outcome(String name) {
        try {
            Class<?> found = Class.forName(name, false, Links.class.getClassLoader());
            // This links the class, which verifies it.
            return found.getDeclaredMethods().length + " " + found.getDeclaredFields().length + " " + found.getDeclaredConstructors().length;
        } catch (NoClassDefFoundError e) {
            // Which of several missing classes is met first differs from run to run.
            return "needs a class that is not there";
        } catch (Throwable e) {
            return e.getClass().getName();
        }
    }
}
