import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

/** What Scala's compiler makes of traits, lazy values, closures, futures and `synchronized`; one variable is kept by nothing. */
trait Counts {
  var guarded = 0
  def count(): Unit = synchronized { guarded += 1 }
}

class Ledger(val name: String) extends Counts {
  var racy = 0
  lazy val later: Int = name.length
  private val total = new AtomicInteger
  @volatile private var seen = false

  def work(times: Int): Unit = {
    for (_ <- 1 to times) {
      racy += 1
      count()
      total.addAndGet(later)
    }
    seen = true
  }

  def told: Int = synchronized(guarded) + total.get + (if (seen) 1 else 0)
}

object Main {
  def main(args: Array[String]): Unit = {
    val pool = Executors.newFixedThreadPool(3)
    implicit val context: ExecutionContext = ExecutionContext.fromExecutorService(pool)
    val ledger = new Ledger("scala")
    val all = Future.sequence((1 to 3).toList.map(_ => Future(ledger.work(50))))
    Await.result(all, Duration(60, TimeUnit.SECONDS))
    pool.shutdown()
    println(s"${ledger.name} ${ledger.told}")
  }
}
