import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tells what the classes of the JDK that it runs on are like. Standard input names classes (`java/util/Map`), one a
 * line; standard output tells of them and of all their supertypes:
 *
 *     V 17                                 the version
 *     C class flags superclass interfaces  (`-` for none, interfaces with commas)
 *     F flags name descriptor              a field of the class above
 *     M flags name descriptor code         a method of the class above; code is 0 without a body, 2 if it takes a monitor, else 1
 *     I owner name descriptor              a method called in the body of the method above
 *     X class                              there is no such class, but there is its package
 *     P class                              there is not even its package
 *
 * It reads class files from `jrt:/` and loads no class, so nothing has to be opened and nothing is filtered.
 */
public final class Facts {
    private final FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    public static void main(String[] args) throws IOException {
        Facts facts = new Facts();
        facts.out.println("V " + Runtime.version().feature());
        ArrayDeque<String> todo = new ArrayDeque<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            todo.add(line);
        }
        Set<String> seen = new HashSet<>();
        while (!todo.isEmpty()) {
            String name = todo.remove();
            if (seen.add(name)) {
                facts.tell(name, todo);
            }
        }
        facts.out.flush();
    }

    private void tell(String name, ArrayDeque<String> todo) throws IOException {
        int slash = name.lastIndexOf('/');
        Path modules = image.getPath("/packages/" + name.substring(0, Math.max(slash, 0)).replace('/', '.'));
        if (slash < 0 || !Files.isDirectory(modules)) {
            out.println("P " + name);
            return;
        }
        try (Stream<Path> links = Files.list(modules)) {
            for (Path link : (Iterable<Path>) links::iterator) {
                Path file = image.getPath("/modules/" + link.getFileName() + "/" + name + ".class");
                if (Files.exists(file)) {
                    new ClassFile(Files.readAllBytes(file)).print(todo);
                    return;
                }
            }
        }
        out.println("X " + name);
    }

    /** Reads just what is asked for; trusts the JDK's own class files to be well formed. */
    private final class ClassFile {
        private final DataInputStream in;
        private final Object[] pool;

        ClassFile(byte[] bytes) throws IOException {
            in = new DataInputStream(new ByteArrayInputStream(bytes));
            in.readInt();
            in.readInt();
            pool = new Object[in.readUnsignedShort()];
            for (int i = 1; i < pool.length; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1: pool[i] = in.readUTF(); break;
                    case 3: case 4: in.readInt(); break;
                    case 5: case 6: in.readLong(); i++; break;
                    case 7: case 8: case 16: case 19: case 20: pool[i] = in.readUnsignedShort(); break;
                    case 15: in.readUnsignedByte(); in.readUnsignedShort(); break;
                    default: pool[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()}; break;
                }
            }
        }

        void print(ArrayDeque<String> todo) throws IOException {
            int flags = in.readUnsignedShort();
            String name = className(in.readUnsignedShort());
            String parent = className(in.readUnsignedShort());
            StringBuilder interfaces = new StringBuilder();
            for (int n = in.readUnsignedShort(); n > 0; n--) {
                String one = className(in.readUnsignedShort());
                interfaces.append(interfaces.length() == 0 ? "" : ",").append(one);
                todo.add(one);
            }
            if (!parent.equals("-")) {
                todo.add(parent);
            }
            out.println("C " + name + " " + flags + " " + parent + " " + (interfaces.length() == 0 ? "-" : interfaces));
            for (int n = in.readUnsignedShort(); n > 0; n--) {
                out.println("F " + in.readUnsignedShort() + " " + text() + " " + text());
                attributes();
            }
            for (int n = in.readUnsignedShort(); n > 0; n--) {
                String head = "M " + in.readUnsignedShort() + " " + text() + " " + text();
                byte[] code = attributes();
                if (code == null) {
                    out.println(head + " 0");
                    continue;
                }
                Set<String> calls = calls(code);
                out.println(head + (calls.remove(MONITOR) ? " 2" : " 1"));
                calls.forEach(call -> out.println("I " + call));
            }
        }

        /** Skips the attributes of a member and returns the content of Code, if there is one. */
        private byte[] attributes() throws IOException {
            byte[] code = null;
            for (int n = in.readUnsignedShort(); n > 0; n--) {
                String name = text();
                byte[] content = in.readNBytes(in.readInt());
                if (name.equals("Code")) {
                    code = content;
                }
            }
            return code;
        }

        private Set<String> calls(byte[] attribute) throws IOException {
            Set<String> found = new LinkedHashSet<>();
            DataInputStream head = new DataInputStream(new ByteArrayInputStream(attribute));
            head.readInt();
            int length = head.readInt();
            int start = 8;
            for (int pc = 0; pc < length; pc += size(attribute, start, pc)) {
                int opcode = attribute[start + pc] & 0xff;
                if (opcode == 194) {
                    found.add(MONITOR);
                }
                if (opcode >= 182 && opcode <= 185) {
                    int index = (attribute[start + pc + 1] & 0xff) << 8 | attribute[start + pc + 2] & 0xff;
                    int[] reference = (int[]) pool[index];
                    int[] nameAndType = (int[]) pool[reference[1]];
                    found.add(className(reference[0]) + " " + pool[nameAndType[0]] + " " + pool[nameAndType[1]]);
                }
            }
            return found;
        }

        private String className(int index) {
            return index == 0 ? "-" : (String) pool[(Integer) pool[index]];
        }

        private String text() throws IOException {
            return (String) pool[in.readUnsignedShort()];
        }
    }

    /** Stands among the calls of a method that takes a monitor. */
    private static final String MONITOR = "monitorenter";

    /** The length of the instruction at a place. */
    private static int size(byte[] code, int start, int pc) {
        int opcode = code[start + pc] & 0xff;
        if (opcode == 170 || opcode == 171) {
            int at = start + pc + 1 + (3 - pc % 4);
            int pairs = opcode == 171 ? 2 * number(code, at + 4) : number(code, at + 8) - number(code, at + 4) + 2;
            return at + 8 + 4 * pairs - start - pc;
        }
        if (opcode == 196) {
            return (code[start + pc + 1] & 0xff) == 132 ? 6 : 4;
        }
        return 1 + OPERANDS.charAt(opcode) - '0';
    }

    private static int number(byte[] code, int at) {
        return (code[at] & 0xff) << 24 | (code[at + 1] & 0xff) << 16 | (code[at + 2] & 0xff) << 8 | code[at + 3] & 0xff;
    }

    /** How many bytes of operands each instruction has, by opcode. */
    private static final String OPERANDS = operands();

    private static String operands() {
        char[] sizes = "0".repeat(256).toCharArray();
        fill(sizes, '1', 16, 16, 18, 18, 21, 25, 54, 58, 169, 169, 188, 188);
        fill(sizes, '2', 17, 17, 19, 20, 132, 132, 153, 168, 178, 184, 187, 187, 189, 189, 192, 193, 198, 199);
        fill(sizes, '3', 197, 197);
        fill(sizes, '4', 185, 186, 200, 201);
        return new String(sizes);
    }

    private static void fill(char[] sizes, char size, int... ranges) {
        for (int i = 0; i < ranges.length; i += 2) {
            java.util.Arrays.fill(sizes, ranges[i], ranges[i + 1] + 1, size);
        }
    }
}
