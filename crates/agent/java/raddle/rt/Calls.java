package raddle.rt;

import java.util.Iterator;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The calls on the current thread's stack as Java itself sees them, without asking the agent: nobody has to wait for
 * anybody. Written down as text, innermost first: class, method, file and line, each in a line. Without descriptors: for
 * those the JDK may load classes that the program has not asked for.
 */
final class Calls implements Function<Stream<StackWalker.StackFrame>, String> {
    /** Our own calls included. */
    private static final int MOST = 32;

    private static final Calls ALL = new Calls();

    private Calls() {}

    static String ofThisThread() {
        return StackWalker.getInstance().walk(ALL);
    }

    @Override
    public String apply(Stream<StackWalker.StackFrame> calls) {
        StringBuilder told = new StringBuilder();
        Iterator<StackWalker.StackFrame> each = calls.iterator();
        for (int i = 0; i < MOST && each.hasNext(); i++) {
            StackWalker.StackFrame call = each.next();
            line(told, call.getClassName());
            line(told, call.getMethodName());
            line(told, call.getFileName());
            told.append(Math.max(call.getLineNumber(), 0)).append('\n');
        }
        return told.toString();
    }

    /** A line of its own, whatever is in it. */
    private static void line(StringBuilder to, String text) {
        to.append(text == null ? "" : text.replace('\n', ' ')).append('\n');
    }
}
