/**
 * The two false alarms of "Racer": a final field is set in a constructor and read by a thread that is started
 * afterwards. Reported by the paper alone.
 */
public class RacerFinalField {
    static class Settings {
        final int size;

        Settings(int size) {
            this.size = size; //~ paper data-race
        }

        void use() {
            if (size != 3) { //~ paper data-race
                throw new IllegalStateException("the size is not there yet");
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Settings settings = new Settings(3);
        Thread thread = new Thread(settings::use);
        thread.start();
        thread.join();
        System.out.println("RacerFinalField done");
    }
}
