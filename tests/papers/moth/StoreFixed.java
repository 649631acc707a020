import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The store of Store: a sale is one block, and the clerk asks for both numbers at once. */
public class StoreFixed {
    static final int CUSTOMERS = 3;
    static final int VISITS = 5;
    static final String[] NAMES = {"tea", "salt", "rice", "soap"};

    /** What can be bought. Its price never changes. */
    static class Product {
        private final String name;
        private final int price;
        private int stock;
        private int supplied;

        Product(String name, int price, int stock) {
            this.name = name;
            this.price = price;
            this.stock = stock;
        }

        String name() {
            return name;
        }

        int price() {
            return price;
        }

        synchronized boolean take(int amount) {
            if (stock < amount) {
                return false;
            }
            stock -= amount;
            return true;
        }

        synchronized void supply(int amount) {
            stock += amount;
            supplied += amount;
        }

        synchronized boolean isShort() {
            return stock < 5;
        }

        synchronized String label() {
            return name + " at " + price + ", " + stock + " of " + (stock + supplied) + " left";
        }
    }

    /** The shelves. */
    static class Catalogue {
        private final Map<String, Product> products = new HashMap<>();
        private int lookups;

        synchronized void add(Product product) {
            products.put(product.name(), product);
        }

        synchronized Product find(String name) {
            lookups++;
            return products.get(name);
        }

        synchronized List<Product> all() {
            return new ArrayList<>(products.values());
        }

        synchronized int lookups() {
            return lookups;
        }
    }

    /** How much was sold, and for how much money. */
    static class Books {
        private int sold;
        private int earned;

        synchronized void sale(int amount, int price) {
            sold += amount;
            earned += amount * price;
        }

        synchronized int averagePrice() {
            return sold == 0 ? 0 : earned / sold;
        }
    }

    /** One line of an order. Only its customer uses it. */
    static final class Line {
        private final String product;
        private final int amount;

        Line(String product, int amount) {
            this.product = product;
            this.amount = amount;
        }

        String product() {
            return product;
        }

        int amount() {
            return amount;
        }
    }

    /** What a customer wants. Given from the customer to the desk through its queue. */
    static class Order {
        private final int customer;
        private final List<Line> lines = new ArrayList<>();
        private String discount = "";

        Order(int customer) {
            this.customer = customer;
        }

        void add(String product, int amount) {
            lines.add(new Line(product, amount));
        }

        void useDiscount(String code) {
            discount = code;
        }

        int customer() {
            return customer;
        }

        List<Line> lines() {
            return lines;
        }

        String discount() {
            return discount;
        }
    }

    /** What a customer has to pay. Nothing in it changes. */
    static final class Invoice {
        private final int number;
        private final int customer;
        private final int total;

        Invoice(int number, int customer, int total) {
            this.number = number;
            this.customer = customer;
            this.total = total;
        }

        int number() {
            return number;
        }

        int customer() {
            return customer;
        }

        int total() {
            return total;
        }
    }

    /** Codes that can be used a few times. Asked for and used up in one block. */
    static class Discounts {
        private final Map<String, Integer> left = new HashMap<>();
        private int used;

        synchronized void issue(String code, int times) {
            left.put(code, times);
        }

        synchronized boolean redeem(String code) {
            Integer times = left.get(code);
            if (times == null || times == 0) {
                return false;
            }
            left.put(code, times - 1);
            used++;
            return true;
        }

        synchronized int used() {
            return used;
        }
    }

    /** Money. Paying in and counting are one block each. */
    static class CashDesk {
        private int money;
        private int payments;
        private int largest;

        synchronized void pay(int amount) {
            money += amount;
            payments++;
            if (amount > largest) {
                largest = amount;
            }
        }

        synchronized int money() {
            return money;
        }

        synchronized int average() {
            return payments == 0 ? 0 : money / payments;
        }

        synchronized int largest() {
            return largest;
        }
    }

    /** Invoices in the order of their numbers. */
    static class Archive {
        private final List<Invoice> invoices = new ArrayList<>();

        synchronized Invoice write(int customer, int total) {
            Invoice invoice = new Invoice(invoices.size() + 1, customer, total);
            invoices.add(invoice);
            return invoice;
        }

        synchronized int count() {
            return invoices.size();
        }

        synchronized int totalOf(int customer) {
            int total = 0;
            for (Invoice invoice : invoices) {
                if (invoice.customer() == customer) {
                    total += invoice.total();
                }
            }
            return total;
        }

        synchronized boolean isInOrder() {
            for (int i = 0; i < invoices.size(); i++) {
                if (invoices.get(i).number() != i + 1) {
                    return false;
                }
            }
            return true;
        }
    }

    /** What has to be bought for the store. Wishes are taken out one at a time. */
    static class Wishes {
        private final List<String> products = new ArrayList<>();
        private boolean closed;

        synchronized void wish(String product) {
            if (!products.contains(product)) {
                products.add(product);
                notifyAll();
            }
        }

        synchronized String next() throws InterruptedException {
            while (products.isEmpty() && !closed) {
                wait();
            }
            return products.isEmpty() ? null : products.remove(0);
        }

        synchronized void close() {
            closed = true;
            notifyAll();
        }
    }

    static class Shop {
        private final Catalogue catalogue = new Catalogue();
        private final Books books = new Books();
        private final Discounts discounts = new Discounts();
        private final CashDesk desk = new CashDesk();
        private final Archive archive = new Archive();
        private final Wishes wishes = new Wishes();

        Catalogue catalogue() {
            return catalogue;
        }

        Books books() {
            return books;
        }

        Discounts discounts() {
            return discounts;
        }

        CashDesk desk() {
            return desk;
        }

        Archive archive() {
            return archive;
        }

        Wishes wishes() {
            return wishes;
        }

        boolean buy(String name, int amount) {
            Product product = catalogue.find(name);
            if (product == null) {
                return false;
            }
            if (!product.take(amount)) {
                wishes.wish(name);
                return false;
            }
            books.sale(amount, product.price());
            return true;
        }

        /** Buys what there is of an order, and pays for it. */
        Invoice serve(Order order) {
            int total = 0;
            for (Line line : order.lines()) {
                if (buy(line.product(), line.amount())) {
                    total += price(line);
                }
            }
            if (discounts.redeem(order.discount())) {
                total -= total / 10;
            }
            desk.pay(total);
            return archive.write(order.customer(), total);
        }

        private int price(Line line) {
            Product product = catalogue.find(line.product());
            return product == null ? 0 : product.price() * line.amount();
        }

        int averagePrice() {
            return books.averagePrice();
        }
    }

    static class Customer extends Thread {
        private final Shop shop;
        private final int number;
        private int paid;

        Customer(Shop shop, int number) {
            super("customer-" + number);
            this.shop = shop;
            this.number = number;
        }

        private Order order(int visit) {
            Order order = new Order(number);
            order.add(NAMES[(number + visit) % NAMES.length], 1 + visit % 3);
            order.add(NAMES[(number + 2 * visit + 1) % NAMES.length], 1);
            if (visit % 2 == 0) {
                order.useDiscount("SPRING");
            }
            return order;
        }

        @Override
        public void run() {
            for (int visit = 0; visit < VISITS; visit++) {
                Invoice invoice = shop.serve(order(visit));
                paid += invoice.total();
                Thread.yield();
            }
        }

        int paid() {
            return paid;
        }
    }

    static class Supplier extends Thread {
        private final Shop shop;

        Supplier(Shop shop) {
            super("supplier");
            this.shop = shop;
        }

        @Override
        public void run() {
            try {
                String wish = shop.wishes().next();
                while (wish != null) {
                    Product product = shop.catalogue().find(wish);
                    if (product != null) {
                        product.supply(10);
                    }
                    wish = shop.wishes().next();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Looks at the shelves and says what is short. */
    static class Stocktaker extends Thread {
        private final Shop shop;
        private int labels;

        Stocktaker(Shop shop) {
            super("stocktaker");
            this.shop = shop;
        }

        @Override
        public void run() {
            for (int i = 0; i < VISITS; i++) {
                for (Product product : shop.catalogue().all()) {
                    if (product.isShort()) {
                        shop.wishes().wish(product.name());
                    }
                    labels += product.label().length();
                }
                Thread.yield();
            }
        }
    }

    static class Clerk extends Thread {
        private final Shop shop;
        private int last;

        Clerk(Shop shop) {
            super("clerk");
            this.shop = shop;
        }

        @Override
        public void run() {
            for (int i = 0; i < VISITS; i++) {
                last = shop.averagePrice();
                Thread.yield();
            }
        }

        int last() {
            return last;
        }
    }

    /** Compares what was paid with what was written down, when everybody has gone home. */
    static boolean audit(Shop shop, List<Customer> customers) {
        int paid = 0;
        for (Customer customer : customers) {
            if (customer.paid() != shop.archive().totalOf(customer.number)) {
                return false;
            }
            paid += customer.paid();
        }
        return paid == shop.desk().money()
                && shop.archive().isInOrder()
                && shop.archive().count() == CUSTOMERS * VISITS
                && shop.desk().largest() >= shop.desk().average()
                && shop.discounts().used() <= 4
                && shop.catalogue().lookups() > 0;
    }

    public static void main(String[] args) throws InterruptedException {
        Shop shop = new Shop();
        for (int i = 0; i < NAMES.length; i++) {
            shop.catalogue().add(new Product(NAMES[i], 2 + i, 8 + i));
        }
        shop.discounts().issue("SPRING", 4);
        List<Customer> customers = new ArrayList<>();
        List<Thread> others = List.of(new Stocktaker(shop), new Clerk(shop));
        Supplier supplier = new Supplier(shop);
        supplier.start();
        for (int i = 0; i < CUSTOMERS; i++) {
            Customer customer = new Customer(shop, i);
            customers.add(customer);
            customer.start();
        }
        for (Thread other : others) {
            other.start();
        }
        for (Customer customer : customers) {
            customer.join();
        }
        for (Thread other : others) {
            other.join();
        }
        shop.wishes().close();
        supplier.join();
        System.out.println(audit(shop, customers));
    }
}
