import java.util.List;

/** Races on a field, and starts a JVM that races on another one. */
public class Parent {
    static int parent;
    static int child;

    public static void main(String[] args) throws Exception {
        boolean isParent = args[0].equals("parent");
        if (isParent) {
            String java = System.getProperty("java.home") + "/bin/java";
            List<String> command = List.of(java, "-cp", System.getProperty("java.class.path"), "Parent", "child");
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) System.exit(code);
        }
        Thread other = new Thread(() -> count(isParent));
        other.start();
        count(isParent);
        other.join();
        System.out.println(args[0]);
    }

    private static void count(boolean isParent) {
        if (isParent) parent++;
        else child++;
    }
}
