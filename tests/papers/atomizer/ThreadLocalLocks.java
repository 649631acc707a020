import java.util.ArrayList;
import java.util.List;
import support.Invisible;

/**
 * Section 4.3 of "Atomizer", redundant locks: a builder with synchronized methods that only one thread uses, one that is filled by
 * one thread and used up by a second, and a counter whose synchronized methods call each other. None of these locks can
 * be waited for. Nothing is wrong with it; the basic algorithm reports every block that takes two of them.
 */
public class ThreadLocalLocks {
    /** Synchronized, as library classes are, for those who need it. */
    static class Lines {
        private final StringBuilder text = new StringBuilder();
        private int count;

        public synchronized void add(String line) {
            text.append(line).append('\n');
            count++;
        }

        public synchronized int count() {
            return count;
        }

        public synchronized String text() {
            return text.toString();
        }
    }

    /** Counts what all threads did. */
    static class Summary {
        private int lines;
        private int characters;

        public synchronized void add(int more, int length) {
            addLines(more);
            addCharacters(length);
        }

        private synchronized void addLines(int more) {
            lines += more;
        }

        private synchronized void addCharacters(int length) {
            characters += length;
        }

        public synchronized String told() {
            return lines + " " + characters;
        }
    }

    static class Reporter extends Thread {
        private final Object mine = new Object();
        private final Lines given;
        private final Summary summary;

        Reporter(Lines given, Summary summary) {
            this.given = given;
            this.summary = summary;
        }

        /** Uses lines that were made here, and that nobody else ever sees. */
        private int own(int round) {
            Lines own = new Lines();
            synchronized (mine) {
                own.add("round " + round);
                own.add("done");
                return own.text().length() + own.count();
            }
        }

        /** Uses lines that the main thread began. */
        private int handedOver() {
            synchronized (mine) {
                given.add("more");
                return given.text().length() + given.count();
            }
        }

        private void report(int round) {
            summary.add(2, own(round));
            summary.add(1, handedOver());
        }

        @Override
        public void run() {
            for (int round = 1; round <= 3; round++) {
                Invisible.meet(2 * round);
                report(round);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Summary summary = new Summary();
        List<Reporter> reporters = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Lines lines = new Lines();
            lines.add("report " + i);
            reporters.add(new Reporter(lines, summary));
        }
        for (Reporter reporter : reporters) {
            reporter.start();
        }
        for (Reporter reporter : reporters) {
            reporter.join();
        }
        System.out.println("ThreadLocalLocks " + summary.told());
    }
}
