import java.util.HashMap;
import java.util.Map;

/** {@link Store} with one block for a sale and one for the books. */
public class StoreFixed {
    static class Product {
        private final int price;
        private int stock;

        Product(int price, int stock) {
            this.price = price;
            this.stock = stock;
        }

        synchronized int getStock() {
            return stock;
        }

        synchronized void setStock(int value) {
            stock = value;
        }

        synchronized boolean take(int amount) {
            if (stock < amount) {
                return false;
            }
            setStock(getStock() - amount);
            return true;
        }

        synchronized void supply(int amount) {
            stock += amount;
        }
    }

    static class Books {
        private int sold;
        private int earned;

        synchronized void sale(int amount, int price) {
            sold += amount;
            earned += amount * price;
        }

        synchronized int averagePrice() {
            return sold == 0 ? 0 : getEarned() / getSold();
        }

        synchronized int getSold() {
            return sold;
        }

        synchronized int getEarned() {
            return earned;
        }
    }

    static class Shop {
        private final Map<String, Product> products = new HashMap<>();
        private final Books books = new Books();

        synchronized Product find(String name) {
            return products.get(name);
        }

        synchronized void add(String name, Product product) {
            products.put(name, product);
        }

        boolean buy(String name, int amount) {
            Product product = find(name);
            if (product == null) {
                return false;
            }
            if (!product.take(amount)) {
                return false;
            }
            books.sale(amount, product.price);
            return true;
        }

        int averagePrice() {
            return books.averagePrice();
        }
    }

    static class Customer extends Thread {
        private final Shop shop;

        Customer(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void run() {
            for (int i = 1; i < 5; i++) {
                shop.buy("tea", i);
                shop.buy("salt", 1);
            }
        }
    }

    static class Supplier extends Thread {
        private final Shop shop;

        Supplier(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void run() {
            for (int i = 0; i < 5; i++) {
                Product tea = shop.find("tea");
                if (tea != null) {
                    tea.supply(2);
                }
            }
        }
    }

    static class Clerk extends Thread {
        private final Shop shop;
        private int last;

        Clerk(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void run() {
            for (int i = 0; i < 5; i++) {
                last = shop.averagePrice();
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Shop shop = new Shop();
        shop.add("tea", new Product(3, 20));
        shop.add("salt", new Product(1, 5));
        Customer one = new Customer(shop);
        Customer two = new Customer(shop);
        Supplier supplier = new Supplier(shop);
        Clerk clerk = new Clerk(shop);
        one.start();
        two.start();
        supplier.start();
        clerk.start();
        one.join();
        two.join();
        supplier.join();
        clerk.join();
        System.out.println(clerk.last >= 0);
    }
}
