import java.lang.reflect.Method;

/** Two threads with objects of their own and one in common; what an argument names is run by reflection. */
public class Ledger {
    static class Entry {
        int amount;
        Entry next;

        Entry(int amount, Entry next) {
            this.amount = amount;
            this.next = next;
        }
    }

    static class Total {
        int sum;
    }

    static int add(int count) {
        Entry first = null;
        for (int i = 0; i < count; i++) first = link(i, first);
        int sum = 0;
        for (Entry entry = first; entry != null; entry = entry.next) sum += entry.amount;
        return sum;
    }

    static Entry link(int amount, Entry next) {
        return new Entry(amount, next);
    }

    static void never() {
        System.out.println("ran after all");
    }

    public static void main(String[] arguments) throws Exception {
        Total total = new Total();
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> total.sum += add(100));
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        for (String name : arguments) {
            Method method = Ledger.class.getDeclaredMethod(name);
            method.invoke(null);
        }
        System.out.println("done");
    }
}
