import support.Invisible;

/** The listener of ThisEscape, registered when the object is there, by a method that makes one. */
public class ThisEscapeFixed {
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

    private ThisEscapeFixed() {
        i = 42;
    }

    static ThisEscapeFixed listeningTo(EventSource source) {
        ThisEscapeFixed made = new ThisEscapeFixed();
        source.registerListener(new EventListener() {
            @Override
            public void onEvent(Event event) {
                made.doSomething(event);
            }
        });
        Invisible.await(1);
        return made;
    }

    private void doSomething(Event event) {
        sum += i + event.number();
    }

    public static void main(String[] args) throws InterruptedException {
        EventSource source = new EventSource();
        Thread dispatcher = new Thread(source, "dispatcher");
        dispatcher.start();
        ThisEscapeFixed escaped = ThisEscapeFixed.listeningTo(source);
        dispatcher.join();
        System.out.println("ThisEscapeFixed " + escaped.i + " " + escaped.sum);
    }
}
