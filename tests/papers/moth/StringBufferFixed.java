/** {@link StringBuffer} with an append that holds the other buffer while it copies. */
public class StringBufferFixed {
    private char[] value;
    private int count;

    StringBufferFixed(String text) {
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

    synchronized StringBufferFixed append(StringBufferFixed other) {
        synchronized (other) {
            int length = other.length();
            int wanted = count + length;
            if (wanted > value.length) {
                grow(wanted);
            }
            other.getChars(0, length, value, count);
            count = wanted;
        }
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
        StringBufferFixed target = new StringBufferFixed("abc");
        StringBufferFixed source = new StringBufferFixed("defghi");
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
