import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/** commons-pool2: eight threads borrow four objects, with an evictor at work. */
public class Pool {
    static class Thing {
        int uses;
    }

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        GenericObjectPoolConfig<Thing> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(4);
        config.setTimeBetweenEvictionRuns(java.time.Duration.ofMillis(20));
        config.setMinEvictableIdleDuration(java.time.Duration.ofMillis(5000));
        AtomicInteger total = new AtomicInteger();
        GenericObjectPool<Thing> pool = new GenericObjectPool<>(new BasePooledObjectFactory<Thing>() {
            @Override
            public Thing create() {
                return new Thing();
            }

            @Override
            public PooledObject<Thing> wrap(Thing thing) {
                return new DefaultPooledObject<>(thing);
            }
        }, config);
        Thread[] threads = new Thread[8];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < rounds; i++) {
                        Thing thing = pool.borrowObject();
                        thing.uses++;
                        total.incrementAndGet();
                        pool.returnObject(thing);
                    }
                } catch (Exception e) {
                    System.out.println(e);
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(total.get() + " " + pool.getBorrowedCount() + " " + pool.getNumActive());
        pool.close();
    }
}
