import support.Threads;

/**
 * Figures 1 and 2 of "Atomizer": append() asks for the length of the other buffer, and then for its characters; the
 * other buffer may have become shorter in between. All methods are synchronized, so there is no data race.
 */
public class AtomizerStringBuffer {
    static class Buffer {
        final char[] value = new char[32];
        int count;

        synchronized void append(Buffer other) {
            int length = other.length();
            other.getChars(length, value, count);
            count += length;
        }

        synchronized int length() { return count; }

        synchronized void getChars(int n, char[] to, int at) {
            System.arraycopy(value, 0, to, at, Math.min(n, count)); //~ non-atomic
        }

        synchronized void setLength(int length) { count = length; }
    }

    static class LockingBuffer {
        final char[] value = new char[32];
        int count;

        synchronized void append(LockingBuffer other) {
            synchronized (other) {
                int length = other.length();
                other.getChars(length, value, count);
                count += length;
            }
        }

        synchronized int length() { return count; }

        synchronized void getChars(int n, char[] to, int at) {
            System.arraycopy(value, 0, to, at, Math.min(n, count));
        }

        synchronized void setLength(int length) { count = length; }
    }

    static int lengthThenCharsBad() throws InterruptedException {
        Buffer target = new Buffer();
        Buffer other = new Buffer();
        Threads.inTurn(
                () -> other.setLength(4),
                () -> target.append(other),
                () -> other.setLength(3),
                () -> target.append(other));
        return target.count;
    }

    static int underBothLocksOk() throws InterruptedException {
        LockingBuffer target = new LockingBuffer();
        LockingBuffer other = new LockingBuffer();
        Threads.inTurn(
                () -> other.setLength(4),
                () -> target.append(other),
                () -> other.setLength(3),
                () -> target.append(other));
        return target.count;
    }

    public static void main(String[] args) throws InterruptedException {
        System.out.println("AtomizerStringBuffer " + lengthThenCharsBad() + " " + underBothLocksOk());
    }
}
