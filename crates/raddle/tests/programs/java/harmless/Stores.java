import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Writes objects to a file, or reads them: nobody declares a serialVersionUID. */
public class Stores {
    static class Item implements Serializable {
        int number;
        volatile String name;
        private final long[] amounts;
        transient int unsaved = 5;
        Item next;
        static int made;

        Item(int number) {
            this.number = number;
            name = "item " + number;
            amounts = new long[] {number, 2L * number};
            synchronized (Item.class) {
                made++;
            }
        }
    }

    static class Special extends Item {
        private Runnable action = (Runnable & Serializable) () -> System.out.println("ran");
        Kind kind = Kind.B;

        Special(int number) {
            super(number);
        }

        private synchronized void grow() {
            number++;
        }
    }

    enum Kind { A, B }

    record Pair(int left, Item right) implements Serializable {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("write")) {
            List<Object> all = new ArrayList<>();
            Item item = new Item(1);
            item.next = new Special(2);
            ((Special) item.next).grow();
            all.add(item);
            all.add(new Pair(3, item));
            Map<Kind, Item> map = new EnumMap<>(Kind.class);
            map.put(Kind.A, new Item(4));
            all.add(map);
            try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(args[1]))) {
                out.writeObject(all);
            }
            return;
        }
        try (ObjectInputStream in = new ObjectInputStream(new FileInputStream(args[1]))) {
            List<?> all = (List<?>) in.readObject();
            Item item = (Item) all.get(0);
            Special special = (Special) item.next;
            special.action.run();
            Pair pair = (Pair) all.get(1);
            Item in4 = (Item) ((Map<?, ?>) all.get(2)).get(Kind.A);
            System.out.println(item.name + item.number + item.unsaved + " " + special.number + special.kind
                    + special.name + " " + (pair.right == item) + pair.left + " " + in4.name);
        }
    }
}
