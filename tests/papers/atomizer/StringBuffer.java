import support.Invisible;

/**
 * Figures 1 and 2 of "Atomizer": `append` asks another buffer for its length and then for its characters. Each method holds the
 * lock of its own buffer, so there is no data race; but the other buffer may be shorter by the time its characters are
 * asked for.
 */
public class StringBuffer {
    private int count;
    private char[] value;

    public StringBuffer(String text) {
        value = text.toCharArray();
        count = value.length;
    }

    public synchronized StringBuffer append(StringBuffer sb) {
        int len = sb.length(); //~ stale-value
        int newCount = count + len;
        if (newCount > value.length) {
            expandCapacity(newCount);
        }
        sb.getChars(0, len, value, count); //~ non-atomic
        count = newCount;
        return this;
    }

    public synchronized int length() {
        return count;
    }

    public synchronized void getChars(int from, int to, char[] target, int at) {
        if (to > count) {
            throw new StringIndexOutOfBoundsException(to);
        }
        System.arraycopy(value, from, target, at, to - from);
    }

    public synchronized void setLength(int length) {
        if (length > value.length) {
            expandCapacity(length);
        }
        count = length;
    }

    private void expandCapacity(int least) {
        char[] larger = new char[Math.max(least, 2 * value.length)];
        System.arraycopy(value, 0, larger, 0, count);
        value = larger;
    }

    public static void main(String[] args) throws InterruptedException {
        StringBuffer target = new StringBuffer("abc");
        StringBuffer source = new StringBuffer("defghi");
        Thread appender = new Thread(() -> {
            for (int round = 0; round < 4; round++) {
                Invisible.await(2 * round);
                target.append(source);
                Invisible.step(2 * round);
            }
        });
        Thread shortener = new Thread(() -> {
            for (int round = 0; round < 4; round++) {
                Invisible.await(2 * round + 1);
                source.setLength(5 - round);
                Invisible.step(2 * round + 1);
            }
        });
        appender.start();
        shortener.start();
        appender.join();
        shortener.join();
        System.out.println("StringBuffer " + source.length() + " " + target.length());
    }
}
