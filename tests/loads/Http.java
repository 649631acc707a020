import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The JDK's HTTP server and client in one JVM. */
public class Http {
    public static void main(String[] args) throws Exception {
        int requests = Integer.parseInt(args[0]);
        ConcurrentHashMap<String, AtomicInteger> hits = new ConcurrentHashMap<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        server.setExecutor(pool);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            int count = hits.computeIfAbsent(path, key -> new AtomicInteger()).incrementAndGet();
            byte[] answer = (path + (count > 0)).getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        String base = "http://" + server.getAddress().getAddress().getHostAddress() + ":" + server.getAddress().getPort();
        for (int i = 0; i < requests; i++) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/page" + i % 5)).build();
            answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenApply(HttpResponse::body));
            if (i % 16 == 15) for (CompletableFuture<String> answer : answers) answer.join();
        }
        int length = 0;
        for (CompletableFuture<String> answer : answers) length += answer.join().length();
        System.out.println(length);
        hits.keySet().stream().sorted().forEach(path -> System.out.println(path + " " + hits.get(path)));
        server.stop(0);
        pool.shutdown();
        System.exit(0);
    }
}
