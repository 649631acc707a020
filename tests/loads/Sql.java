import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/** Four threads use one database; each has rows of its own, so that the sums are the same every time. */
public class Sql {
    public static void main(String[] args) throws Exception {
        String url = args[0];
        int rounds = Integer.parseInt(args[1]);
        try (Connection c = DriverManager.getConnection(url)) {
            c.createStatement().execute("create table acct(id int primary key, bal bigint, name varchar(40))");
            c.createStatement().execute("create index by_name on acct(name)");
            try (PreparedStatement p = c.prepareStatement("insert into acct values(?,?,?)")) {
                for (int i = 0; i < 400; i++) {
                    p.setInt(1, i);
                    p.setLong(2, 1000);
                    p.setString(3, "n" + i / 100);
                    p.execute();
                }
            }
        }
        AtomicLong done = new AtomicLong();
        Thread[] threads = new Thread[4];
        for (int k = 0; k < threads.length; k++) {
            int me = k;
            threads[k] = new Thread(() -> work(url, me, rounds, done), "client-" + k);
            threads[k].start();
        }
        for (Thread thread : threads) thread.join();
        try (Connection c = DriverManager.getConnection(url);
                ResultSet r = c.createStatement().executeQuery("select name, sum(bal), count(*) from acct group by name order by name")) {
            while (r.next()) System.out.println(r.getString(1) + " " + r.getLong(2) + " " + r.getLong(3));
        }
        System.out.println(done.get());
        if (url.startsWith("jdbc:derby")) {
            try {
                DriverManager.getConnection("jdbc:derby:;shutdown=true");
            } catch (SQLException closed) {
                System.out.println("closed");
            }
        }
    }

    private static void work(String url, int me, int rounds, AtomicLong done) {
        try (Connection c = DriverManager.getConnection(url)) {
            PreparedStatement add = c.prepareStatement("update acct set bal=bal+? where id=?");
            PreparedStatement sum = c.prepareStatement("select sum(bal) from acct where name=?");
            for (int i = 0; i < rounds; i++) {
                for (int tries = 0; ; tries++) {
                    try {
                        add.setLong(1, i % 7);
                        add.setInt(2, me * 100 + i % 100);
                        add.executeUpdate();
                        if (i % 10 == 0) {
                            sum.setString(1, "n" + me);
                            try (ResultSet r = sum.executeQuery()) {
                                r.next();
                                r.getLong(1);
                            }
                        }
                        break;
                    } catch (SQLException retry) {
                        // A database may refuse what is done at the same time; the rows are ours, so we try again.
                        if (tries > 100) throw retry;
                    }
                }
                done.incrementAndGet();
            }
        } catch (SQLException e) {
            System.out.println(e);
        }
    }
}
