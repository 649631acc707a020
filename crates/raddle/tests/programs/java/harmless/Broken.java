import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

/** Tries to use classes that are damaged, and goes on. */
public class Broken {
    static int used;

    /** A class by its name, or one called Whole in a folder of its own. */
    private static Class<?> find(String name) throws Exception {
        if (!name.startsWith("/")) return Class.forName(name);
        URL[] place = {new File(name).toURI().toURL()};
        return Class.forName("Whole", true, new URLClassLoader(place, ClassLoader.getPlatformClassLoader()));
    }

    public static void main(String[] args) throws Exception {
        for (String name : args) {
            try {
                Class<?> c = find(name);
                Object made = c.getDeclaredConstructor().newInstance();
                System.out.println(name + " " + made.getClass() + made.equals(made));
            } catch (LinkageError e) {
                // Messages show the very code and constants that were looked at.
                System.out.println(name + " " + e.getClass());
            } catch (ReflectiveOperationException e) {
                System.out.println(name + " " + e);
            }
            used++;
        }
        Thread other = new Thread(() -> used++);
        other.start();
        other.join();
        System.out.println(used);
    }
}
