import support.Invisible;

/** The printer of Printing; a line is written while nobody else can. */
public class PrintingFixed {
    /** Where the characters end. Every write is synchronized. */
    static class Sink {
        private final StringBuilder text = new StringBuilder();
        private int writes;

        public synchronized void write(String part) {
            text.append(part);
            writes++;
        }

        public synchronized int length() {
            return text.length();
        }
    }

    /** Puts lines on a sink that it does not own. */
    static class Printer {
        private final Sink out;
        private int lines;

        Printer(Sink out) {
            this.out = out;
        }

        public synchronized void println(String line) {
            synchronized (out) {
                out.write(line);
                out.write("\n");
            }
            lines++;
        }

        public synchronized void print(String part) {
            out.write(part);
        }

        public synchronized int lines() {
            return lines;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Sink sink = new Sink();
        Printer printer = new Printer(sink);
        Thread printing = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                Invisible.await(2 * i);
                printer.println("line " + i);
                Invisible.step(2 * i);
            }
        });
        Thread writing = new Thread(() -> {
            for (int i = 0; i < 3; i++) {
                Invisible.await(2 * i + 1);
                sink.write(".");
                Invisible.step(2 * i + 1);
            }
        });
        printing.start();
        writing.start();
        printing.join();
        writing.join();
        System.out.println("PrintingFixed " + printer.lines() + " " + sink.length());
    }
}
