import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: several threads write one index while others search it. */
public class Search {
    public static void main(String[] args) throws Exception {
        int documents = Integer.parseInt(args[0]);
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig());
        SearcherManager manager = new SearcherManager(writer, null);
        ExecutorService pool = Executors.newFixedThreadPool(5);
        List<Future<?>> all = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            int me = t;
            all.add(pool.submit(() -> {
                for (int i = 0; i < documents; i++) {
                    Document document = new Document();
                    document.add(new StringField("id", me + "-" + i, Field.Store.YES));
                    document.add(new TextField("text", "word" + i % 10 + " all of " + me, Field.Store.NO));
                    writer.addDocument(document);
                    if (i % 200 == 0) manager.maybeRefresh();
                }
                return null;
            }));
        }
        for (int t = 0; t < 2; t++) {
            all.add(pool.submit(() -> {
                long seen = 0;
                for (int i = 0; i < 200; i++) {
                    IndexSearcher searcher = manager.acquire();
                    try {
                        seen += searcher.count(new TermQuery(new Term("text", "word" + i % 10)));
                    } finally {
                        manager.release(searcher);
                    }
                }
                return seen;
            }));
        }
        for (Future<?> one : all) one.get();
        writer.commit();
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            for (int i = 0; i < 10; i++) {
                System.out.println("word" + i + " " + searcher.count(new TermQuery(new Term("text", "word" + i))));
            }
        }
        manager.close();
        writer.close();
        pool.shutdown();
    }
}
