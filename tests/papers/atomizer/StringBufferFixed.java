import support.Invisible;

/** The buffer of StringBuffer; whoever appends holds the other buffer until its characters are there. */
public class StringBufferFixed {
    private int count;
    private char[] value;

    public StringBufferFixed(String text) {
        value = text.toCharArray();
        count = value.length;
    }

    public synchronized StringBufferFixed append(StringBufferFixed sb) {
        synchronized (sb) {
            int len = sb.length();
            int newCount = count + len;
            if (newCount > value.length) {
                expandCapacity(newCount);
            }
            sb.getChars(0, len, value, count);
            count = newCount;
        }
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
        StringBufferFixed target = new StringBufferFixed("abc");
        StringBufferFixed source = new StringBufferFixed("defghi");
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
        System.out.println("StringBufferFixed " + source.length() + " " + target.length());
    }
}
