import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.FileAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.Level;

/** log4j2: six threads write to one file. */
public class Logs {
    public static void main(String[] args) throws Exception {
        int lines = Integer.parseInt(args[0]);
        Path file = Files.createTempFile("logs", ".txt");
        LoggerContext context = (LoggerContext) LogManager.getContext(false);
        Configuration config = context.getConfiguration();
        PatternLayout layout = PatternLayout.newBuilder().withConfiguration(config).withPattern("%t %m%n").build();
        FileAppender appender = FileAppender.newBuilder().setName("file").setLayout(layout)
                .withFileName(file.toString()).setConfiguration(config).build();
        appender.start();
        config.addAppender(appender);
        config.getRootLogger().getAppenders().keySet().forEach(name -> config.getRootLogger().removeAppender(name));
        config.getRootLogger().addAppender(appender, Level.INFO, null);
        config.getRootLogger().setLevel(Level.INFO);
        context.updateLoggers();
        Logger logger = LogManager.getLogger("load");
        Thread[] threads = new Thread[6];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; i < lines; i++) {
                    logger.info("line {} of {}", i, lines);
                    logger.debug("not written {}", i);
                }
            }, "writer-" + t);
            threads[t].start();
        }
        for (Thread thread : threads) thread.join();
        LogManager.shutdown();
        Files.readAllLines(file).stream().sorted().limit(20).forEach(System.out::println);
        System.out.println(Files.readAllLines(file).size());
        Files.delete(file);
    }
}
