//! What is certain of classes of the JDK, whatever else is loaded. A test asks the JDK whether it is true.

/// Final classes that call lines name, sorted: a call that names one is made on that very class.
pub(crate) const FINAL: &[&str] = &[
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/util/Optional",
    "java/util/OptionalDouble",
    "java/util/OptionalInt",
    "java/util/OptionalLong",
    "java/util/StringJoiner",
    "java/util/regex/Matcher",
    "jdk/internal/misc/Unsafe",
    "sun/misc/Unsafe",
];

/// Classes, sorted, none of whose methods with a line can be called under the name of another class of the JDK: what
/// they inherit says nothing of these methods, and the JDK has no subclass of them that a call would name.
pub(crate) const ALONE: &[&str] = &[
    "java/lang/invoke/VarHandle",
    "java/util/concurrent/CountDownLatch",
    "java/util/concurrent/CyclicBarrier",
    "java/util/concurrent/Exchanger",
    "java/util/concurrent/Phaser",
    "java/util/concurrent/Semaphore",
    "java/util/concurrent/atomic/AtomicBoolean",
    "java/util/concurrent/atomic/AtomicIntegerArray",
    "java/util/concurrent/atomic/AtomicIntegerFieldUpdater",
    "java/util/concurrent/atomic/AtomicLongArray",
    "java/util/concurrent/atomic/AtomicLongFieldUpdater",
    "java/util/concurrent/atomic/AtomicMarkableReference",
    "java/util/concurrent/atomic/AtomicReference",
    "java/util/concurrent/atomic/AtomicReferenceArray",
    "java/util/concurrent/atomic/AtomicReferenceFieldUpdater",
    "java/util/concurrent/atomic/AtomicStampedReference",
    "java/util/concurrent/locks/StampedLock",
    "jdk/internal/misc/Unsafe",
    "sun/misc/Unsafe",
];

/// Collections, sorted, all of whose subclasses in the JDK are of their own kind: a call that names one means it.
pub(crate) const OF_ONE_KIND: &[&str] = &[
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/HashMap",
    "java/util/IdentityHashMap",
    "java/util/LinkedHashMap",
    "java/util/LinkedList",
    "java/util/PriorityQueue",
    "java/util/StringJoiner",
    "java/util/TreeMap",
    "java/util/WeakHashMap",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/ConcurrentLinkedDeque",
    "java/util/concurrent/ConcurrentLinkedQueue",
    "java/util/concurrent/CopyOnWriteArrayList",
    "java/util/regex/Matcher",
];

fn has(list: &[&str], class: &str) -> bool {
    list.binary_search(&class).is_ok()
}

/// Is the class final?
pub(crate) fn is_final(class: &str) -> bool {
    has(FINAL, class)
}

/// Are all objects that a call on this class can reach of its kind?
pub(crate) fn is_of_one_kind(class: &str) -> bool {
    has(OF_ONE_KIND, class)
}

fn is_jdk(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/"].iter().any(|start| class.starts_with(start))
}

/// Can a call that names `owner` reach an object for which the lines of `class` hold?
pub(crate) fn can_reach(owner: &str, class: &str) -> bool {
    if owner == class {
        return true;
    }
    if owner == "java/lang/Object" {
        return false;
    }
    if is_jdk(owner) { !has(ALONE, class) } else { !is_final(class) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!([FINAL, ALONE, OF_ONE_KIND].iter().all(|list| list.is_sorted()));
    }

    #[test]
    fn a_call_reaches_what_may_be_behind_the_name() {
        assert!(can_reach("java/util/List", "java/util/Collection"));
        assert!(can_reach("a/Mine", "java/util/concurrent/atomic/AtomicReference"));
        assert!(!can_reach("java/util/Map", "java/util/concurrent/atomic/AtomicStampedReference"));
        assert!(!can_reach("a/Mine", "java/lang/StringBuilder"));
        assert!(!can_reach("java/lang/Object", "java/util/Collection"));
        assert!(can_reach("java/lang/CharSequence", "java/lang/StringBuilder"));
    }
}
