package raddle.rt;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What one thread keeps to record what it does: where its next record goes, and which regions it has recorded. Used by its
 * own thread alone. Knows nothing of woven code; {@link Probe} is what that calls.
 *
 * <p>A record is one to three words. A word that is not 0 has been written, so the first word of a record goes last.
 */
final class Recorder extends Elements {
    static final Unsafe U = Unsafe.getUnsafe();

    /** Forms of records. */
    static final long PLAIN = 1, RANGE = 2, STAMPED = 3, STAMPED_MORE = 4, DEFINES = 5, KNOWN = 6, STEPS = 7;

    static final int HEADER = 64;

    /** Where a chunk's header says which record is withheld, and what its first word is. */
    static final int WITHHELD_AT = 16, WITHHELD = 24;
    static final int SMALL = 4096, LARGE = 16 * 4096;

    /** Fields that the agent adds to java.lang.Thread. */
    static final long TOKEN = U.objectFieldOffset(Thread.class, "$raddle$token");
    static final long STATE = U.objectFieldOffset(Thread.class, "$raddle$state");
    static final long NUMBER = U.objectFieldOffset(Thread.class, "$raddle$number");

    /** Whether what tells no detector anything is left out. */
    static final boolean FILTER = filters();

    /** The counter of stamps, in memory that the reader sees too. */
    static final long STAMP = stampAddress();
    private static final int STAMP_BITS = 40;

    /** One epoch: the bits below count accesses. */
    static final long EPOCH = 1 << 24;

    /**
     * Tokens are given to threads so many at a time. There are 2 to the 40; then they begin again, when no shadow word
     * is likely to hold the same one still.
     */
    private static final long TOKENS = 4096 * EPOCH;

    /** Whether anything is recorded at all. */
    static volatile boolean on = true;

    private static int threads;
    private static final long THREADS;

    /** The tokens that are given out next. */
    private static long tokens;
    private static final long TOKENS_AT;

    static {
        try {
            THREADS = U.staticFieldOffset(Recorder.class.getDeclaredField("threads"));
            TOKENS_AT = U.staticFieldOffset(Recorder.class.getDeclaredField("tokens"));
        } catch (NoSuchFieldException e) {
            throw new InternalError(e);
        }
    }

    final int number;

    /** Where the next record goes, and where the chunk ends. */
    private long at, end, chunk;

    /** Probes do nothing while this thread is inside one, or after its end. */
    boolean inside;

    /** Whether woven code waits on a monitor now: that is told where it is called. */
    boolean waits;

    /**
     * Whether what is read now is read on trial: the program will ask whether it was disturbed. Until then the reads are
     * kept back; those that are never asked about are recorded after all.
     */
    private boolean trial;
    private long[] onTrial = new long[16];
    private int trials;

    /** The stamp of a lock that is being converted. */
    long converted;

    /** Objects that have died, and have not been recorded to be dead. */
    private long[] died = new long[16];
    private int deaths;

    /** Classes whose initialisation this thread has seen to be over; a bit each. */
    private long[] initialised = new long[16];

    private Recorder(Thread thread, int number) {
        super(thread, number);
        this.number = number;
    }

    /** The number of a thread, which may not have started. */
    static int numberOf(Thread thread) {
        int number = U.getInt(thread, NUMBER);
        if (number == 0) {
            int fresh = U.getAndAddInt(Recorder.class, THREADS, 1) + 1;
            number = U.compareAndExchangeInt(thread, NUMBER, 0, fresh);
            if (number == 0) {
                number = fresh;
                name(number, nameOf(thread, number));
            }
        }
        return number;
    }

    /** The recorder of the current thread; null if it records nothing now. */
    @ForceInline
    static Recorder of(Thread thread) {
        Recorder me = (Recorder) U.getReference(thread, STATE);
        if (me == null) me = begin(thread);
        return me == null || me.inside ? null : me;
    }

    @DontInline
    private static Recorder begin(Thread thread) {
        Recorder me;
        String name;
        try {
            Room.make();
            Recorder waited = Waits.over(thread);
            if (waited != null) return waited;
            if (!on) return null;
            me = new Recorder(thread, numberOf(thread));
            name = nameOf(thread, me.number);
        } catch (Throwable thrown) {
            // There will be another probe, and perhaps more memory, or more room on the stack.
            Lost.to(thrown);
            return null;
        }
        me.inside = true;
        U.putReference(thread, STATE, me);
        long chunk = open(me.number, name);
        if (chunk == 0) return null;
        me.chunk = chunk;
        me.at = chunk + HEADER;
        me.end = chunk + SMALL;
        me.newEpoch();
        me.inside = false;
        me.stamped(Kinds.START_SITE, 0, 0);
        return me;
    }

    private static String nameOf(Thread thread, int number) {
        String name = thread.getName();
        return name == null || name.isEmpty() ? "thread " + number : name;
    }

    /** The current thread has ended. */
    static void finish(Thread thread) {
        Recorder me = (Recorder) U.getReference(thread, STATE);
        if (me == null) me = Waits.over(thread);
        if (me == null || me.inside) return;
        me.stamped(Kinds.END_SITE, 0, 0);
        me.inside = true;
        me.giveUpNumbers();
        me.letGo();
        if (me.chunk != 0) close(me.chunk);
        me.at = me.end = 0;
    }

    /** What is reported from now on is reported anew. */
    @ForceInline
    private void newEpoch() {
        long token = U.getLong(thread, TOKEN) + EPOCH;
        if ((token & TOKENS - 1) <= EPOCH) token = newTokens();
        U.putLong(thread, TOKEN, token);
    }

    @DontInline
    private static long newTokens() {
        return U.getAndAddLong(Recorder.class, TOKENS_AT, TOKENS) + 2 * EPOCH;
    }

    /** A record without a stamp. */
    @ForceInline
    void plain(int site, long operand) {
        plain(PLAIN | (long) site << 4 | operand << 28);
    }

    /**
     * Writes the first word of a record, behind which all else of it is there. A fence and a plain store, since both compilers
     * make a mere store of that; a store with release is a call in code of the first one.
     */
    @ForceInline
    private static void put(long to, long word) {
        U.storeFence();
        U.putLong(null, to, word);
    }

    @ForceInline
    private void plain(long word) {
        if (end - at < 8 && !roomFor(word)) return;
        put(at, word);
        at += 8;
    }

    /** Makes room for a record of one word, if it is to be written. */
    @DontInline
    private boolean roomFor(long word) {
        if (heldAt != 0) {
            settle(true, 0);
            if (end - at >= 8) return true;
        }
        if (expected != 0) {
            if (copy[expected - 1] == word) {
                expected++;
                return false;
            }
            recordAfterAll();
            if (end - at >= 8) return true;
        }
        return turn() != 0;
    }

    /** An object that is accessed as one variable. */
    @DontInline
    void whole(int site, long operand, int classNumber) {
        pair(RANGE | (long) site << 4 | operand << 28, classNumber);
    }

    @Override
    void writeRange(int site, long array, int from, int until) {
        pair(RANGE | (long) site << 4 | array << 28, (from & 0xffff_ffffL) | (long) until << 32);
    }

    @Override
    void writeSteps(int site, long array, int first, int step, int count) {
        long to = room(24);
        if (to == 0) return;
        // A region with such a record in it is always written.
        if (regionAt != 0) publish();
        U.putLong(to + 8, (first & 0xffff_ffffL) | (first + (long) (count - 1) * step + 1) << 32);
        U.putLong(to + 16, step);
        put(to, STEPS | (long) site << 4 | array << 28);
        at = to + 24;
    }

    private void pair(long word, long more) {
        if (expected != 0 && copy[expected - 1] == word && copy[expected] == more) {
            expected += 2;
            return;
        }
        long to = room(16);
        if (to == 0) return;
        U.putLong(to + 8, more);
        if (to == regionAt) withhold(word);
        else put(to, word);
        at = to + 16;
    }

    /** Something that gives or takes order, now. Whatever comes after it belongs to a new epoch. */
    void stamped(int site, long operand, long classNumber) {
        stampedWithin(site, operand, classNumber);
        newEpoch();
    }

    /** Something that has its place among all threads' but gives and takes no order: the epoch goes on. */
    @DontInline
    private void stampedWithin(int site, long operand, long classNumber) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        if (open != 0) flush();
        if (regionAt != 0) publish();
        stamp(STAMPED | (long) site << 4 | operand << 28, classNumber);
    }

    @ForceInline
    private void stamp(long word, long classNumber) {
        long to = room(16);
        if (to == 0) return;
        long stamp = U.getAndAddLong(null, STAMP, 1);
        U.putLong(to + 8, stamp | classNumber << STAMP_BITS);
        if (!holdsBack) put(to, word);
        at = to + 16;
        lastStamp = stamp;
        if (holdsBack) hold(to, word);
    }

    /**
     * A watched value comes out of a call or goes into one. Takes a stamp, so that it is known what
     * others did before; unless nobody has taken any since this thread did, for then its place is right behind that.
     */
    void flowNow(int site) {
        boolean alone = regionAt == 0 && expected == 0 && !trial && U.getLongVolatile(null, STAMP) == lastStamp + 1;
        if (alone) plain(site, 0);
        else stamped(site, 0, 0);
    }

    /** The same with a second operand. */
    @DontInline
    void stamped(int site, long operand, long classNumber, long more) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        if (open != 0) flush();
        if (regionAt != 0) publish();
        long to = room(24);
        if (to != 0) {
            long stamp = U.getAndAddLong(null, STAMP, 1);
            U.putLong(to + 16, more);
            U.putLong(to + 8, stamp | classNumber << STAMP_BITS);
            long word = STAMPED_MORE | (long) site << 4 | operand << 28;
            if (!holdsBack) put(to, word);
            at = to + 24;
            if (holdsBack) hold(to, word);
        }
        newEpoch();
    }

    // Updates that may fail. What one gives, it gives before it is known whether it does: so its record takes its stamp and
    // its place before, and says what it is afterwards. Nobody reads on behind it until then.

    /** Whether the record that is written now is such a one. */
    boolean holdsBack;

    /** Where it is; 0 if there is none. Its first word, if the update succeeds; and where the chunk ends. */
    private long heldAt, heldWord, heldEnd;

    private void hold(long to, long word) {
        heldAt = to;
        heldWord = word;
        heldEnd = end;
        // No record goes behind it unnoticed.
        end = 0;
    }

    /** It is known what an update was: a write, or else only a read, told by a site for that. */
    @DontInline
    void settle(boolean written, int readSite) {
        long to = heldAt, word = heldWord;
        if (to == 0) return;
        heldAt = 0;
        end = heldEnd;
        if (!written) word = word & ~(0xff_ffffL << 4) | (long) readSite << 4;
        put(to, word);
    }

    /** A border within the thread that gives no order: a new epoch all the same. */
    void border(int site, long operand) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        if (open != 0) flush();
        plain(site, operand);
        newEpoch();
    }

    /** A constructor has ended, which concerns nothing but its object's final fields: the epoch goes on. */
    void freeze(int site, long operand) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        plain(site, operand);
    }

    // Objects without a place for their number that are accessed as one variable: collections, atomics. What is known of one
    // has a shadow word, as fields do. Of volatile ones the token also tells who accessed it last: a read takes no order if that
    // was the same thread. So that no write is overlooked, whoever writes puts its token there after it took its stamp and before
    // it writes, and whoever reads puts its own there before it takes a stamp: a token that replaces a writer's has a later stamp.

    private static final long READ = 1, WRITE = 4, VOLATILE_READ = 16;

    /** The bits of a shadow word below the token. */
    private static final long COUNTS = EPOCH - 1;

    /** Whether this thread has reported such accesses to a collection often enough; else counts one. */
    boolean knows(Identities.Entry entry, boolean write) {
        return FILTER && counted(entry, U.getLong(thread, TOKEN), write ? WRITE : READ);
    }

    /** Whether two accesses of a kind were counted under a token; if not, counts one. */
    private static boolean counted(Identities.Entry entry, long token, long one) {
        long word = entry.word;
        if ((word & ~COUNTS) != token) {
            entry.word = token | one;
            return false;
        }
        if ((word & 3 * one) == 2 * one) return true;
        entry.word = word + one;
        return false;
    }

    /** After an object was read that is volatile as a whole. */
    @DontInline
    void volatileRead(int site, Identities.Entry entry, long classNumber) {
        if (!FILTER) {
            stamped(site, entry.number, classNumber);
            return;
        }
        long token = U.getLong(thread, TOKEN), last = entry.word;
        // Tokens are given out in blocks, each to one thread.
        boolean own = last == 0 || ((last ^ token) & -TOKENS) == 0;
        if (own) {
            if (!counted(entry, token, VOLATILE_READ)) stampedWithin(site, entry.number, classNumber);
            return;
        }
        if (open != 0) flush();
        newEpoch();
        entry.word = U.getLong(thread, TOKEN) | VOLATILE_READ;
        stampedWithin(site, entry.number, classNumber);
    }

    /** Before an object is written that is volatile as a whole. */
    void volatileWrite(int site, Identities.Entry entry, long classNumber) {
        stamped(site, entry.number, classNumber);
        entry.word = U.getLong(thread, TOKEN);
    }

    void beginTrial() {
        if (trial) endTrial(false);
        trial = true;
    }

    /** Reads are no longer on trial; if they were asked about, they do not count. */
    @DontInline
    void endTrial(boolean asked) {
        trial = false;
        int count = trials;
        trials = 0;
        for (int i = 0; !asked && i < count; i++) plain(onTrial[i]);
    }

    /** A read, perhaps on trial. */
    @ForceInline
    void reads(int site, long operand) {
        if (trial) keep(PLAIN | (long) site << 4 | operand << 28);
        else plain(site, operand);
    }

    private void keep(long record) {
        if (trials == onTrial.length) onTrial = longer(onTrial, 2 * trials);
        if (trials < onTrial.length) onTrial[trials++] = record;
    }

    /** A longer copy; the same where there is no memory for it, and then something is lost. */
    private static long[] longer(long[] list, int length) {
        try {
            return java.util.Arrays.copyOf(list, length);
        } catch (OutOfMemoryError e) {
            Lost.to(e);
            return list;
        }
    }

    /** Where a record of so many bytes goes; 0 if nothing is recorded any more. */
    @ForceInline
    private long room(int bytes) {
        return end - at >= bytes ? at : turn();
    }

    /** Goes on in a new chunk, perhaps after waiting for one. */
    @DontInline
    private long turn() {
        if (heldAt != 0) {
            settle(true, 0);
            // Room for the longest record.
            if (end - at >= 24) return at;
        }
        if (expected != 0) {
            recordAfterAll();
            // Room for the longest record.
            if (end - at >= 24) return at;
        }
        if (chunk == 0) return 0;
        if (regionAt != 0) publish();
        pastEnd = 0;
        long next = next(chunk, number);
        if (next == 0) {
            on = false;
            inside = true;
            chunk = 0;
            at = end = 0;
            return 0;
        }
        chunk = next;
        end = next + LARGE;
        return at = next + HEADER;
    }

    // Regions. A region is what a thread records from entering a monitor, or several, until it leaves one. It is written
    // to the chunk as it comes, but for the first word, without which nobody reads it. When a monitor is about to be left,
    // a region that this thread has recorded twice is written again as one record that says so, in the place of all it was.
    // Monitors in it get their stamps only then: whoever had one before has taken a stamp for it before, and nobody
    // else can have it yet. So a thread that is in a region holds no stamp for which the reader would have to wait.

    /** Longer ones are written out each time. */
    private static final int REGION = 512;

    private final Regions regions = new Regions();

    /** Where the region began that is being recorded; 0 if there is none. */
    private long regionAt;

    /** Its first word, and how many monitors were entered in it. */
    private long withheld;
    private int entered;

    private long lastStamp;

    /** How many monitors are held, one that is held twice counted twice. */
    private int monitors;

    @ForceInline
    private void beginRegion() {
        regionAt = at;
        entered = 0;
        U.putLong(chunk + WITHHELD, 0);
        U.putInt(chunk + WITHHELD_AT, (int) (at - chunk));
    }

    /** Should the JVM be killed, the first word is found in the chunk's header. */
    @ForceInline
    private void withhold(long word) {
        withheld = word;
        U.putLong(chunk + WITHHELD, word);
    }

    /** The region is written as it is. */
    @DontInline
    private void publish() {
        long from = regionAt;
        regionAt = 0;
        if (at == from) return;
        giveStamps(from);
        put(from, withheld);
    }

    /** Those who were entered get their stamps. */
    private void giveStamps(long from) {
        if (entered == 0) return;
        long stamp = U.getAndAddLong(null, STAMP, entered);
        for (long p = from; p < at;) {
            long form = (p == from ? withheld : U.getLong(p)) & 15;
            if (form == STAMPED) U.putLong(p + 8, U.getLong(p + 8) | stamp++);
            p += form == PLAIN ? 8 : 16;
        }
        lastStamp = stamp - 1;
    }

    /** A monitor is about to be left, the last one or not: writes the region that ends here. */
    @DontInline
    private void endRegion(long exit, boolean last) {
        long from = regionAt;
        int before = from == pastEnd ? past : 0;
        past = 0;
        pastTwice = false;
        // A region that is defined is one word longer, and its exit follows.
        if (at - from > REGION || entered == 0 || end - at < 16) {
            publish();
            return;
        }
        int length = (int) (at - from);
        int region = regions.meet(Regions.hash(withheld, from, length));
        if (region > 0) {
            long stamp = U.getAndAddLong(null, STAMP, entered);
            lastStamp = stamp + entered - 1;
            if (last && entered == 1) {
                pastTwice = region == before;
                if (pastTwice && region != kept) keep(from, region, exit);
                past = region;
            }
            for (int i = 16; i < length; i += 8) U.putLong(from + i, 0);
            U.putLong(from + 8, stamp);
            regionAt = 0;
            at = from + 16;
            put(from, KNOWN | (long) region << 4);
        } else if (region < 0) {
            giveStamps(from);
            for (long p = at - 8; p > from; p -= 8) U.putLong(p + 8, U.getLong(p));
            U.putLong(from + 8, withheld);
            regionAt = 0;
            at += 8;
            put(from, DEFINES | (long) -region << 4 | (long) (length >>> 3) << 28);
        } else {
            // Its numbers are given out again.
            if (regions.isEmpty()) kept = 0;
            publish();
        }
    }

    // One that repeats the two before it, when nobody has recorded anything that gives or takes order since, tells no
    // detector anything: nobody else can have had the monitor, and the same was done under it twice. Such a region is
    // not written at all. While it may still become one, what comes is compared with the one before; with the first
    // difference it is written after all, which is right since the monitor is still held.

    /** The last known region of one monitor, and whether the one before was the same; where its records end. */
    private int past;
    private boolean pastTwice;
    private long pastEnd;

    /** A copy of a region with the exit that ends it, without stamps; which one it is. */
    private long[] copy;
    private int kept;

    /** In a region that may be left out: which word of the copy has to come next, from 1 on; else 0. */
    private int expected;

    /** In such a region the end of the chunk is kept here, and {@link #end} says that there is no room. */
    private long realEnd;

    /** Regions that were left out. */
    long leftOut;

    private void keep(long from, int region, long exit) {
        if (copy == null && (copy = Regions.words(REGION / 8 + 1)) == null) return;
        int length = (int) (at - from) >>> 3;
        copy[0] = withheld;
        for (int i = 1; i < length; i++) copy[i] = U.getLong(from + 8L * i);
        copy[length] = exit;
        kept = region;
    }

    /** A monitor was entered. */
    @ForceInline
    void enter(int site, long operand, long classNumber) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        long word = STAMPED | (long) site << 4 | operand << 28;
        if (monitors == 0 && pastTwice && at == pastEnd && past == kept
                && (open != 0 || copy[0] == word) && U.getLong(STAMP) == lastStamp + 1) {
            expected = 1;
            realEnd = end;
            end = 0;
        } else if (FILTER && regionAt == 0 && chunk != 0) {
            beginRegion();
        }
        if (open != 0) flush();
        newEpoch();
        monitors++;
        if (expected != 0) {
            if (copy[expected - 1] == word) {
                expected += 2;
                return;
            }
            recordAfterAll();
        }
        if (regionAt == 0) {
            stamp(word, classNumber);
            return;
        }
        long to = room(16);
        if (to == 0) return;
        if (regionAt == 0) {
            // It was written since the chunk was full.
            if (chunk == 0) return;
            beginRegion();
        }
        U.putLong(to + 8, classNumber << STAMP_BITS);
        if (to == regionAt) withhold(word);
        else U.putLong(to, word);
        at = to + 16;
        entered++;
    }

    /** A monitor is about to be left. That needs no stamp: whoever enters it next takes one. */
    @ForceInline
    void exit(int site, long operand) {
        if (heldAt != 0) settle(true, 0);
        if (trial) endTrial(false);
        if (open != 0) flush();
        newEpoch();
        long word = PLAIN | (long) site << 4 | operand << 28;
        boolean last = --monitors <= 0;
        if (last) monitors = 0;
        if (expected != 0) {
            if (copy[expected - 1] == word) {
                // It has but one exit.
                expected = 0;
                end = realEnd;
                leftOut++;
                return;
            }
            recordAfterAll();
        }
        boolean ends = regionAt != 0;
        if (ends) endRegion(word, last);
        plain(word);
        if (ends && last && past != 0) pastEnd = at;
    }

    /** The region is not like the last one: writes what was left out of it so far. */
    @DontInline
    private void recordAfterAll() {
        int length = expected - 1;
        expected = 0;
        end = realEnd;
        // And room for the longest record.
        if (end - at < 8L * length + 24 && turn() == 0) return;
        beginRegion();
        if (length == 0) return;
        for (int i = 1; i < length; i++) U.putLong(at + 8L * i, copy[i]);
        withhold(copy[0]);
        at += 8L * length;
        // In front of it there may be array elements.
        for (int i = 0; i < length; i += (copy[i] & 15) == PLAIN ? 1 : 2) {
            if ((copy[i] & 15) == STAMPED) entered++;
        }
    }

    // Objects that have died, and classes that were initialised before they are used.

    /** An object has died; to be recorded when no lock of ours is held. */
    void died(long number) {
        if (deaths == died.length) died = longer(died, 2 * deaths);
        if (deaths < died.length) died[deaths++] = number;
    }

    /** Records who has died. */
    @ForceInline
    void bury() {
        if (deaths > 0) bury(null);
    }

    @Override
    @DontInline
    void bury(long[] more) {
        // Reads that are on trial stay so.
        boolean onTrial = trial;
        trial = false;
        // Recording may find more of them.
        while (deaths > 0) stampedWithin(Kinds.FREE_SITE, died[--deaths], 0);
        if (more != null) for (long number : more) stampedWithin(Kinds.FREE_SITE, number, 0);
        trial = onTrial;
    }

    /** A static field of a class is about to be used: its initialisation comes before. */
    @ForceInline
    void uses(int site) {
        int c = Sites.classOf(site);
        int word = c >>> 6;
        long[] seen = initialised;
        if (word < seen.length && (seen[word] >>> c & 1) != 0) return;
        seesInitialised(c);
    }

    @DontInline
    private void seesInitialised(int c) {
        haveInitialised(c);
        // Reads that are on trial stay so.
        boolean onTrial = trial;
        trial = false;
        stamped(Kinds.USES_SITE, c, c);
        trial = onTrial;
    }

    /** This thread need not be told that a class is initialised. */
    void haveInitialised(int c) {
        int word = c >>> 6;
        if (word >= initialised.length) initialised = longer(initialised, Math.max(word + 1, 2 * initialised.length));
        if (word < initialised.length) initialised[word] |= 1L << c;
    }

    // The agent.

    static native long stampAddress();

    /** Whether what tells no detector anything is left out. */
    private static native boolean filters();

    /** Tells what a number stands for, before anything refers to it. */
    private static native void name(int number, String name);

    /** The first chunk of a thread; 0 if nothing is recorded. */
    private static native long open(int number, String name);

    /** The chunk after this one. Waits if there is no room. */
    private static native long next(long chunk, int number);

    /** Nothing comes after this chunk. */
    private static native void close(long chunk);
}
