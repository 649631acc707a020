import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Gets class files out of a JVM or jars into one stream, and links the classes of such a stream.
 * A stream holds for each class: its name (modified UTF-8 with length), the length of its bytes, the bytes.
 */
public class Corpus {
    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "jrt": jrt(args[1], args.length > 2 ? args[2] : ""); break;
            case "jars": jars(args); break;
            case "link": link(args[1], args[2], Integer.parseInt(args[3])); break;
            case "base": base(args[1], args[2]); break;
            case "run": run(args[1], args[2]); break;
            default: throw new IllegalArgumentException(args[0]);
        }
    }

    private static void put(DataOutputStream out, String name, byte[] bytes) throws IOException {
        out.writeUTF(name);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Every class of the running JVM, named module/path. */
    private static void jrt(String to, String module) throws Exception {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules" + (module.isEmpty() ? "" : "/" + module));
        try (DataOutputStream out = open(to); Stream<Path> all = Files.walk(modules)) {
            List<Path> classes = all.filter(p -> p.toString().endsWith(".class")).sorted().collect(Collectors.toList());
            for (Path path : classes) {
                String name = path.toString().substring("/modules/".length());
                put(out, name.substring(0, name.length() - ".class".length()), Files.readAllBytes(path));
            }
        }
    }

    private static DataOutputStream open(String to) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(to)), 1 << 20));
    }

    private static void jars(String[] args) throws Exception {
        try (DataOutputStream out = open(args[1])) {
            for (int i = 2; i < args.length; i++) {
                try (ZipFile jar = new ZipFile(args[i])) {
                    for (ZipEntry entry : Collections.list(jar.entries())) {
                        String name = entry.getName();
                        if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.endsWith("module-info.class")) {
                            try (InputStream in = jar.getInputStream(entry)) {
                                put(out, name.substring(0, name.length() - ".class".length()), in.readAllBytes());
                            }
                        }
                    }
                }
            }
        }
    }

    private static Map<String, byte[]> read(String from) throws Exception {
        Map<String, byte[]> classes = new LinkedHashMap<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Paths.get(from)), 1 << 20))) {
            while (true) {
                String name;
                try {
                    name = in.readUTF();
                } catch (EOFException end) {
                    return classes;
                }
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                classes.putIfAbsent(name.replace('/', '.'), bytes);
            }
        }
    }

    /** Knows the classes of a stream and asks its parent for the rest. */
    private static final class Loader extends ClassLoader {
        private final Map<String, byte[]> classes;

        Loader(Map<String, byte[]> classes) {
            super(ClassLoader.getPlatformClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] bytes = classes.get(name);
            if (bytes == null) throw new ClassNotFoundException(name);
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private static String outcome(String name, ClassLoader loader) {
        try {
            // This links the class, which verifies it.
            return "ok " + Class.forName(name, false, loader).getDeclaredMethods().length;
        } catch (Throwable e) {
            // The message speaks of places in the code, or of whichever missing class was met first, which differs
            // from run to run: the JVM verifies methods in the order of their names' addresses. So does the number of a
            // loader that it names.
            String detail = System.getProperty("raddle.verbose") == null ? "" : " " + String.valueOf(e.getMessage()).replace("\n", " | ").replaceAll(" @[0-9a-f]+", "");
            return e.getClass().getName() + detail;
        }
    }

    /** Links one class in step. */
    private static void link(String stream, String to, int step) throws Exception {
        Map<String, byte[]> classes = read(stream);
        ClassLoader loader = new Loader(classes);
        try (PrintStream out = new PrintStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(to))), false, "UTF-8")) {
            int number = 0;
            for (String name : classes.keySet()) {
                if (number++ % step == 0) out.println(name + " " + outcome(name, loader));
            }
        }
    }

    /** Links classes of the boot loader, named in a file. */
    private static void base(String names, String to) throws Exception {
        try (PrintStream out = new PrintStream(new BufferedOutputStream(Files.newOutputStream(Paths.get(to))), false, "UTF-8")) {
            for (String name : Files.readAllLines(Paths.get(names))) out.println(name + " " + outcome(name, null));
        }
    }

    /** Runs the main method of a class in a stream. */
    private static void run(String stream, String main) throws Exception {
        ClassLoader loader = new Loader(read(stream));
        Thread.currentThread().setContextClassLoader(loader);
        loader.loadClass(main).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
