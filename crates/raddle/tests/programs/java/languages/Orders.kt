import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.thread
import kotlin.concurrent.withLock

/** What Kotlin's compiler makes of properties, lambdas, lazy values and `synchronized`; one property is kept by nothing. */
class Orders(val name: String) {
    private val monitor = Any()
    private val lock = ReentrantLock()
    var racy = 0
    private var guarded = 0
    private var locked = 0
    @Volatile private var seen = false
    private val total = AtomicInteger()
    private val later by lazy { name.length }

    fun work(times: Int) {
        repeat(times) {
            racy += 1
            synchronized(monitor) { guarded += 1 }
            lock.withLock { locked += later }
            total.incrementAndGet()
        }
        seen = true
    }

    fun told() = synchronized(monitor) { guarded } + lock.withLock { locked } + total.get() + (if (seen) 1 else 0)
}

fun main() {
    val orders = Orders("kotlin")
    val workers = List(3) { thread { orders.work(50) } }
    workers.forEach { it.join() }
    println("${orders.name} ${orders.told()}")
}
