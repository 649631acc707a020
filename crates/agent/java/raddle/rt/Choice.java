package raddle.rt;

import java.lang.ref.WeakReference;
import jdk.internal.vm.annotation.DontInline;

/** Which effects of the model tables happen at a site, by the class of the receiver. */
final class Choice {
    private static volatile Choice[] all = new Choice[256];

    private final int site;
    /** Kept with each class, so that a class that nobody else uses can go. */
    private final ClassValue<Effect[]> known = new ClassValue<>() {
        @Override
        protected Effect[] computeValue(Class<?> type) {
            return Effect.of(site, type);
        }
    };
    private Effect[] certain;

    /** The class and effect of the last time, as one object so that they belong together. */
    private Last last = new Last(null, null);

    private static final class Last extends WeakReference<Class<?>> {
        final Effect[] effects;

        Last(Class<?> type, Effect[] effects) {
            super(type);
            this.effects = effects;
        }
    }

    private Choice(int site) {
        this.site = site;
    }

    static Effect[] at(int site, Object receiver) {
        int number = Sites.choice(site);
        Choice[] choices = all;
        Choice choice = number < choices.length ? choices[number] : null;
        if (choice == null) choice = add(number, site);
        if (receiver == null) {
            Effect[] certain = choice.certain;
            return certain != null ? certain : choice.look(null);
        }
        Last last = choice.last;
        return last.get() == receiver.getClass() ? last.effects : choice.look(receiver.getClass());
    }

    @DontInline
    private Effect[] look(Class<?> type) {
        boolean held = Pin.hold(Thread.currentThread());
        try {
            if (type == null) return certain = Effect.of(site, null);
            Effect[] effects = known.get(type);
            last = new Last(type, effects);
            return effects;
        } finally {
            Pin.release(held);
        }
    }

    @DontInline
    private static Choice add(int number, int site) {
        boolean held = Pin.hold(Thread.currentThread());
        try {
            return addAlone(number, site);
        } finally {
            Pin.release(held);
        }
    }

    private static synchronized Choice addAlone(int number, int site) {
        Choice[] choices = all;
        if (number >= choices.length) {
            choices = java.util.Arrays.copyOf(choices, Math.max(number + 1, 2 * choices.length));
        }
        if (choices[number] == null) choices[number] = new Choice(site);
        all = choices;
        return choices[number];
    }

    /** Initialises the class, and what it uses. */
    static void prepare() {
        Effect.offset(Object.class, "none");
    }
}
