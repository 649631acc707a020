import support.Invisible;

/** Figure 6 of "Racer": a constructor registers a listener, which uses the object before the constructor is done. */
public class RacerThisEscape {
    interface Listener {
        void onEvent(int event);
    }

    /** Calls its listener in the thread that dispatches events, like the event queue of a window system. */
    static class EventSource {
        private Listener listener;

        synchronized void register(Listener added) {
            listener = added;
        }

        private synchronized Listener registered() {
            return listener;
        }

        void dispatch(int event) {
            registered().onEvent(event);
        }
    }

    static class ThisEscape {
        int i;
        int seen;

        ThisEscape(EventSource source) {
            source.register(new Listener() {
                @Override
                public void onEvent(int event) {
                    doSomething(event);
                }
            });
            Invisible.step(0);
            Invisible.step(2);
            i = 42; //~ data-race
        }

        void doSomething(int event) {
            seen = i + event; //~ data-race
        }
    }

    static void constructorLetsThisEscapeBad() throws InterruptedException {
        Invisible.restart();
        EventSource source = new EventSource();
        Thread dispatcher = new Thread(() -> {
            Invisible.await(1);
            source.dispatch(1);
            Invisible.step(1);
        });
        dispatcher.start();
        ThisEscape escaped = new ThisEscape(source);
        dispatcher.join();
        System.out.println("RacerThisEscape " + escaped.i + " " + escaped.seen);
    }

    public static void main(String[] args) throws InterruptedException {
        constructorLetsThisEscapeBad();
    }
}
