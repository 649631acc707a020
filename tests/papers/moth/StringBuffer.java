/**
 * The append of java.lang.StringBuffer in JDK 1.4 as Flanagan and Qadeer describe it in "Types for atomicity": the length of
 * the other buffer is asked for in one block and its characters in the next.
 */
public class StringBuffer {
    private char[] value;
    private int count;

    StringBuffer(String text) {
        value = text.toCharArray();
        count = value.length;
    }

    synchronized int length() {
        return count;
    }

    synchronized void getChars(int from, int to, char[] target, int at) {
        if (to > count) {
            throw new StringIndexOutOfBoundsException(to);
        }
        for (int i = from; i < to; i++) {
            target[at + i - from] = value[i];
        }
    }

    synchronized StringBuffer append(StringBuffer other) {
        int length = other.length(); //~ stale-value
        int wanted = count + length;
        if (wanted > value.length) {
            grow(wanted);
        }
        // The other buffer may be shorter by now.
        other.getChars(0, length, value, count); //~ also non-atomic
        count = wanted;
        return this;
    }

    synchronized void clear() {
        count = 0;
    }

    private void grow(int least) {
        char[] larger = new char[least * 2];
        for (int i = 0; i < count; i++) {
            larger[i] = value[i];
        }
        value = larger;
    }

    public static void main(String[] args) throws InterruptedException {
        StringBuffer target = new StringBuffer("abc");
        StringBuffer source = new StringBuffer("defghi");
        Thread appender = new Thread(() -> {
            try {
                target.append(source);
            } catch (StringIndexOutOfBoundsException e) {
                // It happens.
            }
        });
        Thread clearer = new Thread(() -> source.clear());
        appender.start();
        clearer.start();
        appender.join();
        clearer.join();
        System.out.println(target.length() > 0);
    }
}
