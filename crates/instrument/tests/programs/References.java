import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class References {
    interface Twice {
        static void run(Runnable runnable) {
            runnable.run();
            IntSupplier next = new AtomicInteger(7)::incrementAndGet;
            System.out.println(next.getAsInt());
        }
    }

    static int own(String s) {
        return s.length();
    }

    public static void main(String[] args) {
        AtomicInteger counter = new AtomicInteger();
        Twice.run(counter::incrementAndGet);
        List<String> list = new ArrayList<>();
        Consumer<String> add = list::add;
        add.accept("x");
        ReentrantLock lock = new ReentrantLock();
        Twice.run(lock::lock);
        Twice.run(lock::unlock);
        Supplier<List<String>> make = ArrayList::new;
        System.out.println(make.get().size() + list.stream().mapToInt(References::own).sum() + counter.get());
        try {
            Twice.run(lock::unlock);
        } catch (IllegalMonitorStateException e) {
            System.out.println("not held");
        }
    }
}
