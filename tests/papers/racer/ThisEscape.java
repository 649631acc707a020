import support.Invisible;

/**
 * Figure 6 of "Racer", after Goetz: a constructor registers a listener, and with it the object that is not there yet. The thread
 * that dispatches events may use the object before the constructor sets its field.
 */
public class ThisEscape {
    static class Event {
        private final int number;

        Event(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    interface EventListener {
        void onEvent(Event event);
    }

    /** Hands events to a listener in a thread of its own, like the queue of a window system. */
    static class EventSource implements Runnable {
        private EventListener listener;

        synchronized void registerListener(EventListener added) {
            listener = added;
            notifyAll();
        }

        private synchronized EventListener listener() throws InterruptedException {
            while (listener == null) {
                wait();
            }
            return listener;
        }

        @Override
        public void run() {
            try {
                EventListener to = listener();
                for (int i = 0; i < 3; i++) {
                    to.onEvent(new Event(i));
                }
                Invisible.step(0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int i;
    private int sum;

    ThisEscape(EventSource source) {
        source.registerListener(new EventListener() {
            @Override
            public void onEvent(Event event) {
                doSomething(event);
            }
        });
        Invisible.await(1);
        i = 42; //~ data-race
    }

    private void doSomething(Event event) {
        sum += i + event.number(); //~ data-race
    }

    public static void main(String[] args) throws InterruptedException {
        EventSource source = new EventSource();
        Thread dispatcher = new Thread(source, "dispatcher");
        dispatcher.start();
        ThisEscape escaped = new ThisEscape(source);
        dispatcher.join();
        System.out.println("ThisEscape " + escaped.i + " " + escaped.sum);
    }
}
