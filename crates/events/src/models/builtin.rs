//! The tables that come with Raddle, compiled in.

/// File name and text of each built-in table.
pub const BUILTIN: &[(&str, &str)] = &[
    ("threads.txt", include_str!("../../models/threads.txt")),
    ("locks.txt", include_str!("../../models/locks.txt")),
    ("signals.txt", include_str!("../../models/signals.txt")),
    ("atomics.txt", include_str!("../../models/atomics.txt")),
    ("unsafe.txt", include_str!("../../models/unsafe.txt")),
    ("executors.txt", include_str!("../../models/executors.txt")),
    ("futures.txt", include_str!("../../models/futures.txt")),
    ("collections.txt", include_str!("../../models/collections.txt")),
    ("concurrent.txt", include_str!("../../models/concurrent.txt")),
    ("strings.txt", include_str!("../../models/strings.txt")),
    ("objects.txt", include_str!("../../models/objects.txt")),
    ("arrays.txt", include_str!("../../models/arrays.txt")),
    ("lambdas.txt", include_str!("../../models/lambdas.txt")),
    ("frameworks.txt", include_str!("../../models/frameworks.txt")),
];
