import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** A Jetty server, and clients that are plain threads. */
public class Web {
    public static void main(String[] args) throws Exception {
        int requests = Integer.parseInt(args[0]);
        Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.setHandler(new AbstractHandler() {
            @Override
            public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                    throws java.io.IOException {
                response.setContentType("text/plain");
                response.getWriter().print("you asked for " + target);
                base.setHandled(true);
            }
        });
        server.start();
        int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
        AtomicInteger length = new AtomicInteger();
        Thread[] clients = new Thread[4];
        for (int t = 0; t < clients.length; t++) {
            clients[t] = new Thread(() -> {
                try {
                    for (int i = 0; i < requests; i++) {
                        URL url = new URL("http", InetAddress.getLoopbackAddress().getHostAddress(), port, "/page" + i % 10);
                        try (var in = url.openStream()) {
                            length.addAndGet(in.readAllBytes().length);
                        }
                    }
                } catch (Exception e) {
                    System.out.println(e);
                }
            });
            clients[t].start();
        }
        for (Thread client : clients) client.join();
        System.out.println(length.get());
        server.stop();
        System.out.println("stopped");
    }
}
