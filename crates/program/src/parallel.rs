//! The same work for many things on several threads, results in the things' order. The threads end before the call does.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A thread for a handful of things costs more than it saves.
const LEAST: usize = 32;
/// How many things a thread takes at a time.
const BATCH: usize = 16;

/// Does `each` with every item. `made` makes what a thread needs for itself.
pub fn parallel<T: Sync, S, R: Send>(
    items: &[T],
    threads: usize,
    made: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let threads = threads.min(items.len() / LEAST).max(1);
    if threads == 1 {
        let mut own = made();
        return items.iter().map(|item| each(&mut own, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = made();
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= items.len() {
                return done;
            }
            for (item, number) in items.iter().skip(start).take(BATCH).zip(start..) {
                done.push((number, each(&mut own, item)));
            }
        }
    };
    let mut results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = work();
        for thread in others {
            match thread.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        for threads in [1, 3] {
            let doubled = parallel(&items, threads, || 2, |by, item| item * *by);
            assert!(doubled.iter().zip(&items).all(|(double, item)| *double == item * 2));
            assert_eq!(doubled.len(), items.len());
        }
    }
}
