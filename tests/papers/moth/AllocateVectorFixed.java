import java.util.ArrayList;
import java.util.List;

/** {@link AllocateVector} with one step that searches and marks. */
public class AllocateVectorFixed {
    /** How much there is and how much is wanted. */
    static final class Settings {
        final int blocks;
        final int threads;
        final int wanted;
        final int rounds;

        private Settings(int blocks, int threads, int wanted, int rounds) {
            this.blocks = blocks;
            this.threads = threads;
            this.wanted = wanted;
            this.rounds = rounds;
        }

        /** By name, as the benchmark has it: the less room there is, the more often threads meet. */
        static Settings named(String name) {
            switch (name) {
                case "little":
                    return new Settings(400, 2, 10, 1);
                case "average":
                    return new Settings(60, 3, 5, 4);
                case "lot":
                    return new Settings(20, 4, 5, 20);
                default:
                    throw new IllegalArgumentException("little, average or lot, and not " + name);
            }
        }

        static Settings of(String[] args) {
            if (args.length == 0) {
                return named("average");
            }
            if (args.length == 1) {
                return named(args[0]);
            }
            if (args.length != 4) {
                throw new IllegalArgumentException("blocks, threads, wanted and rounds are four numbers");
            }
            int[] numbers = new int[args.length];
            for (int i = 0; i < args.length; i++) {
                numbers[i] = Integer.parseInt(args[i]);
                if (numbers[i] < 1) {
                    throw new IllegalArgumentException("at least 1, and not " + args[i]);
                }
            }
            return new Settings(numbers[0], numbers[1], numbers[2], numbers[3]);
        }

        @Override
        public String toString() {
            return threads + " threads want " + wanted + " of " + blocks + " blocks, " + rounds + " times";
        }
    }

    /** The blocks, and which of them are free. */
    static class AllocationVector {
        private static final char FREE = 'F';
        private static final char ALLOCATED = 'A';

        private final char[] vector;

        AllocationVector(int size) {
            vector = new char[size];
            for (int i = 0; i < size; i++) {
                vector[i] = FREE;
            }
        }

        int size() {
            return vector.length;
        }

        /** The first block that is free; -1 if there is none. */
        synchronized int getFreeBlockIndex() {
            for (int i = 0; i < vector.length; i++) {
                if (vector[i] == FREE) {
                    return i;
                }
            }
            return -1;
        }

        synchronized void markAsAllocatedBlock(int index) {
            vector[index] = ALLOCATED;
        }

        /** A block that was free and is not any more; -1 if there is none. */
        synchronized int allocate() {
            int index = getFreeBlockIndex();
            if (index != -1) {
                markAsAllocatedBlock(index);
            }
            return index;
        }

        synchronized void markAsFreeBlock(int index) {
            vector[index] = FREE;
        }

        synchronized int left() {
            int free = 0;
            for (char block : vector) {
                if (block == FREE) {
                    free++;
                }
            }
            return free;
        }

        /** The longest stretch of blocks that follow one another and are free. */
        synchronized int longest() {
            int longest = 0;
            int length = 0;
            for (char block : vector) {
                length = block == FREE ? length + 1 : 0;
                longest = Math.max(longest, length);
            }
            return longest;
        }
    }

    /** What one thread got in one round. Only that thread uses it until it has ended. */
    static final class Account {
        private final int round;
        private final int[] blocks;
        private int count;
        private int refused;

        Account(int round, int wanted) {
            this.round = round;
            blocks = new int[wanted];
        }

        void got(int block) {
            blocks[count] = block;
            count++;
        }

        void refused() {
            refused++;
        }

        int round() {
            return round;
        }

        int count() {
            return count;
        }

        int block(int at) {
            return blocks[at];
        }

        int asked() {
            return count + refused;
        }

        /** Whether no block is in it twice; a thread that gives nothing back gets none again. */
        boolean isSane(int size) {
            boolean[] seen = new boolean[size];
            for (int i = 0; i < count; i++) {
                if (blocks[i] < 0 || blocks[i] >= size || seen[blocks[i]]) {
                    return false;
                }
                seen[blocks[i]] = true;
            }
            return true;
        }
    }

    /** Allocates as many blocks as it wants and gives them back, round after round. */
    static class Allocator extends Thread {
        private final AllocationVector vector;
        private final int wanted;
        private final int rounds;
        private final List<Account> accounts = new ArrayList<>();

        Allocator(AllocationVector vector, Settings settings, int number) {
            super("allocator-" + number);
            this.vector = vector;
            wanted = settings.wanted;
            rounds = settings.rounds;
        }

        @Override
        public void run() {
            for (int round = 0; round < rounds; round++) {
                Account account = new Account(round, wanted);
                allocate(account);
                release(account);
                accounts.add(account);
            }
        }

        private void allocate(Account account) {
            for (int i = 0; i < wanted; i++) {
                int index = vector.allocate();
                if (index == -1) {
                    account.refused();
                } else {
                    account.got(index);
                }
            }
        }

        private void release(Account account) {
            for (int i = 0; i < account.count(); i++) {
                vector.markAsFreeBlock(account.block(i));
            }
        }

        List<Account> accounts() {
            return accounts;
        }
    }

    /** What came out of it, when all threads have ended. */
    static final class Summary {
        private int asked;
        private int got;
        private boolean sane = true;
        private final int[] used;

        Summary(int size) {
            used = new int[size];
        }

        void add(List<Account> accounts) {
            int round = 0;
            for (Account account : accounts) {
                sane &= account.round() == round && account.isSane(used.length);
                asked += account.asked();
                got += account.count();
                for (int i = 0; i < account.count(); i++) {
                    used[account.block(i)]++;
                }
                round++;
            }
        }

        /** How many blocks were used at all. */
        int touched() {
            int touched = 0;
            for (int times : used) {
                if (times > 0) {
                    touched++;
                }
            }
            return touched;
        }

        boolean isComplete(Settings settings) {
            return asked == settings.threads * settings.wanted * settings.rounds && got <= asked
                    && touched() <= settings.blocks;
        }

        boolean isSane() {
            return sane;
        }
    }

    /** Lets the threads run and sums up. */
    static Summary test(Settings settings, AllocationVector vector) throws InterruptedException {
        Allocator[] allocators = new Allocator[settings.threads];
        for (int i = 0; i < allocators.length; i++) {
            allocators[i] = new Allocator(vector, settings, i);
        }
        for (Allocator allocator : allocators) {
            allocator.start();
        }
        Summary summary = new Summary(vector.size());
        for (Allocator allocator : allocators) {
            allocator.join();
            summary.add(allocator.accounts());
        }
        return summary;
    }

    public static void main(String[] args) throws InterruptedException {
        Settings settings = Settings.of(args);
        AllocationVector vector = new AllocationVector(settings.blocks);
        Summary summary = test(settings, vector);
        boolean empty = vector.left() == settings.blocks && vector.longest() == settings.blocks;
        boolean right = summary.isComplete(settings) && summary.isSane() && empty;
        System.out.println(settings + ": " + (right ? "done" : "wrong"));
    }
}
