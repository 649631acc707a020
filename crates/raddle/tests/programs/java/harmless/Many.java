import java.util.concurrent.CountDownLatch;

/** Loads the same classes by many threads at once, each class using fields of the others. */
public class Many {
    public static class A { public A() {} static int a; int x; }
    public static class B { public B() {} static int b; A of = new A(); }
    public static class C { public C() {} static int c; B of = new B(); }
    public static class D { public D() {} static int d; C of = new C(); }

    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 30; round++) {
            CountDownLatch go = new CountDownLatch(1);
            Thread[] threads = new Thread[6];
            for (int i = 0; i < threads.length; i++) {
                int me = i;
                ClassLoader loader = new Loaders.Loader() {
                    @Override
                    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        return name.startsWith("Many$") ? own(name) : super.loadClass(name, resolve);
                    }
                };
                threads[i] = new Thread(() -> {
                    try {
                        go.await();
                        String[] names = {"Many$A", "Many$B", "Many$C", "Many$D"};
                        for (int j = 0; j < names.length; j++) {
                            loader.loadClass(names[(me + j) % names.length]).getDeclaredConstructor().newInstance();
                        }
                    } catch (ReflectiveOperationException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                });
                threads[i].start();
            }
            go.countDown();
            for (Thread thread : threads) thread.join();
        }
        System.out.println("done");
    }
}
