//! What is certain of classes of the JDK, whatever else is loaded. `tests/settled.rs` asks the JDKs whether it is true.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// Final classes that call lines name, sorted: a call that names one is made on that very class.
pub const FINAL: &[&str] = &[
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

/// Classes, sorted, that no program extends although they are not final.
const CLOSED: &[&str] = &[
    "java/lang/invoke/VarHandle",
    "java/util/concurrent/atomic/AtomicIntegerFieldUpdater",
    "java/util/concurrent/atomic/AtomicLongFieldUpdater",
    "java/util/concurrent/atomic/AtomicReferenceFieldUpdater",
];

/// For each class that call lines name: the types of the JDK above and below it. One line each, sorted.
const RELATED: &str = include_str!("related.txt");

/// Collections, sorted, all of whose subclasses in the JDK are of their own kind: a call that names one means it.
pub const OF_ONE_KIND: &[&str] = &[
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/util/ArrayDeque",
    "java/util/ArrayList",
    "java/util/HashMap",
    "java/util/IdentityHashMap",
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

/// Is it the internal name of a class of the JDK?
pub(crate) fn is_jdk_name(class: &[u8]) -> bool {
    [&b"java/"[..], b"javax/", b"jdk/", b"sun/"].iter().any(|start| class.starts_with(start))
}

/// The types of the JDK above and below each class that call lines name.
fn related() -> &'static FxHashMap<&'static str, FxHashSet<&'static str>> {
    static MAP: OnceLock<FxHashMap<&'static str, FxHashSet<&'static str>>> = OnceLock::new();
    MAP.get_or_init(|| {
        let lines = RELATED.lines().filter_map(|line| line.split_once(':'));
        lines.map(|(class, others)| (class, others.split_whitespace().collect())).collect()
    })
}

/// Can a call that names `owner` reach an object for which the lines of `class` hold? Types of the JDK that are neither
/// above nor below each other have no object in common but those of classes that say themselves what they do.
pub(crate) fn can_reach(owner: &str, class: &str) -> bool {
    if owner == class {
        return true;
    }
    if owner == "java/lang/Object" {
        return false;
    }
    match related().get(class) {
        Some(others) if is_jdk_name(owner.as_bytes()) => others.contains(owner),
        _ => !is_final(class) && !has(CLOSED, class),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!([FINAL, CLOSED, OF_ONE_KIND].iter().all(|list| list.is_sorted()));
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
