import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.concurrent.atomic.AtomicInteger;

/** A netty server, and clients that are plain threads. */
public class Netty {
    public static void main(String[] args) throws Exception {
        int requests = Integer.parseInt(args[0]);
        NioEventLoopGroup acceptors = new NioEventLoopGroup(1), workers = new NioEventLoopGroup(3);
        Channel server = new ServerBootstrap().group(acceptors, workers).channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536), new Answer());
                    }
                }).bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
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
        server.close().sync();
        workers.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        acceptors.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        System.out.println("closed");
    }

    static class Answer extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            byte[] body = ("you asked for " + request.uri()).getBytes();
            DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
            response.headers().set("Content-Length", body.length);
            response.headers().set("Connection", "close");
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }
}
