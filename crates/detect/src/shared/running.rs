//! Which test was running when something happened, as far as the marks of the trace tell.
//!
//! A mark with a name begins a test in its thread, one without a name ends it. A thread belongs to the test that it runs
//! itself, else to the one its creator belonged to when it was started, else to the only one that runs. Where several
//! run and none of these is certain there is no answer: a wrong test is worse than none.

use events::{Event, Op, StrId, Symbols, ThreadId};
use rustc_hash::FxHashMap;

/// The tests that run now.
#[derive(Default)]
pub struct Tests {
    /// What each thread runs itself, and how deep: a test may call another one.
    running: FxHashMap<ThreadId, (StrId, u32)>,
    /// The thread whose test a thread belongs to, and which test that was.
    children: FxHashMap<ThreadId, (ThreadId, StrId)>,
}

impl Tests {
    /// Takes a mark or a fork into account; others change nothing.
    pub fn step(&mut self, event: &Event, symbols: &Symbols) {
        match event.op {
            Op::Mark { text } if symbols.str(text).is_empty() => {
                if let Some((_, depth)) = self.running.get_mut(&event.thread) {
                    *depth -= 1;
                    if *depth == 0 {
                        self.running.remove(&event.thread);
                    }
                }
            }
            Op::Mark { text } => self.running.entry(event.thread).or_insert((text, 0)).1 += 1,
            Op::Fork { child } if !self.running.is_empty() => {
                if let Some(of) = self.belongs_to(event.thread) {
                    self.children.insert(child, of);
                }
            }
            _ => {}
        }
    }

    /// The test that a thread belongs to now.
    pub fn of(&self, thread: ThreadId) -> Option<StrId> {
        if let Some((_, test)) = self.belongs_to(thread) {
            return Some(test);
        }
        let mut running = self.running.values().map(|&(test, _)| test);
        let first = running.next()?;
        running.all(|test| test == first).then_some(first)
    }

    /// The thread that runs its test, and the test, if that still runs.
    fn belongs_to(&self, thread: ThreadId) -> Option<(ThreadId, StrId)> {
        if let Some(&(test, _)) = self.running.get(&thread) {
            return Some((thread, test));
        }
        let of = *self.children.get(&thread)?;
        self.running.get(&of.0).is_some_and(|&(test, _)| test == of.1).then_some(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps through a trace in text and names the test of each thread that is asked for.
    fn after(text: &str, threads: &[&str]) -> Vec<String> {
        let trace = events::text::parse("trace", text).unwrap();
        let symbols = &trace.symbols;
        let mut tests = Tests::default();
        trace.events.iter().for_each(|event| tests.step(event, symbols));
        let id = |name: &str| {
            let mut all = symbols.threads.iter();
            all.find(|(_, thread)| symbols.str(thread.name) == name).unwrap().0
        };
        let named = threads.iter().map(|name| tests.of(id(name)).map_or("-", |test| symbols.str(test)));
        named.map(str::to_owned).collect()
    }

    #[test]
    fn a_thread_belongs_to_the_test_that_started_it_while_that_runs() {
        let text = "main mark A\nmain fork T\nother mark B\n";
        assert_eq!(after(text, &["main", "T", "other"]), ["A", "A", "B"]);
        let over = "main mark A\nmain fork T\nother mark B\nmain mark \"\"\n";
        assert_eq!(after(over, &["main", "T"]), ["B", "B"]);
        let next = "main mark A\nmain fork T\nmain mark \"\"\nmain mark B\n";
        assert_eq!(after(next, &["T"]), ["B"]);
    }

    #[test]
    fn a_thread_of_unknown_origin_belongs_to_a_test_only_if_one_runs() {
        assert_eq!(after("pool write x\nmain mark A\n", &["pool"]), ["A"]);
        assert_eq!(after("pool write x\nmain mark A\nother mark B\n", &["pool"]), ["-"]);
        assert_eq!(after("main mark A\nmain mark \"\"\n", &["main"]), ["-"]);
    }

    #[test]
    fn a_test_that_calls_another_one_goes_on_after_it() {
        let text = "main mark A\nmain mark B\nmain mark \"\"\n";
        assert_eq!(after(text, &["main"]), ["A"]);
    }
}
