//! Examples of how threads reach sites: the calls on the stack of the current thread, without those of our own.
//!
//! Whether one is wanted is decided in Java (`Stacks`). What a method is called is asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use events::session::{Entry, Frame};

use crate::Agent;
use crate::jvm::{Called, Jvmti, jmethodID, jobject};

/// Calls that are told.
const MOST: usize = 16;
/// Calls of ours, and of what links us, that may stand above.
const ABOVE: usize = 16;

/// What is known of methods, by their ids.
#[derive(Default)]
pub struct Stacks {
    methods: Mutex<HashMap<usize, Arc<Called>>>,
}

impl Stacks {
    fn called(&self, jvmti: &Jvmti, method: jmethodID) -> Option<Arc<Called>> {
        let key = method as usize;
        let known = || self.methods.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(called) = known().get(&key) {
            return Some(called.clone());
        }
        // Not while others wait: the JVM may have to stop all threads for an answer.
        let called = Arc::new(jvmti.called(method)?);
        known().insert(key, called.clone());
        Some(called)
    }
}

/// Is the call one of ours, or one that links to us?
fn is_ours(call: &Frame) -> bool {
    call.class.starts_with("raddle.rt.")
        || call.method.starts_with("$raddle$")
        || call.class.starts_with("java.lang.invoke.")
        || call.class.starts_with("java.lang.StackStreamFactory")
        || call.class == "java.lang.StackWalker"
}

/// Is it one that nobody wrote?
fn is_hidden(call: &Frame) -> bool {
    call.class.contains("$$Lambda")
        || call.class.starts_with("java.lang.invoke.")
        || call.method.starts_with("$raddle$")
}

fn is_of_the_jdk(call: &Frame) -> bool {
    ["java.", "jdk.", "sun."].iter().any(|start| call.class.starts_with(start))
}

/// The calls that led to a site: those below ours and the site's own. None where that is not worth telling.
fn callers(calls: impl Iterator<Item = Frame>, starts: bool) -> Option<Vec<Frame>> {
    let mut calls = calls.skip_while(is_ours);
    let own = calls.next()?;
    // In the JDK one site stands for all that call it; where a thread is started it does so for that thread alone.
    if !starts && is_of_the_jdk(&own) {
        return None;
    }
    let callers: Vec<_> = calls.filter(|call| !is_hidden(call)).take(MOST).collect();
    // Calls of the JDK alone tell nothing.
    (!callers.iter().all(is_of_the_jdk)).then_some(callers)
}

/// Calls as `Calls.java` writes them down.
fn written(calls: &str) -> impl Iterator<Item = Frame> {
    let mut lines = calls.split('\n');
    std::iter::from_fn(move || {
        let (class, method, file) = (lines.next()?, lines.next()?, lines.next()?);
        let line = lines.next()?.parse().ok()?;
        Some(Frame { class: class.to_owned(), method: method.to_owned(), file: file.to_owned(), line })
    })
}

impl Agent {
    /// Tells how a thread came to a site, or is started there: the current one's stack shows it. Not for virtual threads.
    pub fn tell_stack(&self, current: jobject, thread: u32, site: u32, starts: bool) {
        let calls = self.jvmti.calls(current, ABOVE + MOST).into_iter();
        let named = calls.filter_map(|(method, place)| {
            let called = self.stacks.called(&self.jvmti, method)?;
            Some(Frame {
                class: called.class.replace('/', "."),
                method: called.method.clone(),
                file: called.file.clone(),
                line: called.line(place),
            })
        });
        self.tell_callers(callers(named, starts), thread, site);
    }

    /// The same with calls that `Calls.java` has written down.
    pub fn tell_calls(&self, calls: &str, thread: u32, site: u32, starts: bool) {
        self.tell_callers(callers(written(calls), starts), thread, site);
    }

    fn tell_callers(&self, callers: Option<Vec<Frame>>, thread: u32, site: u32) {
        if let Some(frames) = callers {
            let mut entry = Vec::new();
            Entry::Stack { number: 0, thread, site, frames }.encode(&mut entry);
            self.names(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(calls: &[&str], starts: bool) -> Option<Vec<String>> {
        let text: String = calls
            .iter()
            .map(|call| {
                let (class, method) = call.rsplit_once('.').unwrap();
                format!("{class}\n{method}\nA.java\n7\n")
            })
            .collect();
        Some(
            callers(written(&text), starts)?
                .iter()
                .map(|call| format!("{}.{}", call.class, call.method))
                .collect(),
        )
    }

    #[test]
    fn our_own_calls_and_the_site_are_not_among_its_callers() {
        let calls = ["raddle.rt.Calls.ofThisThread", "raddle.rt.Probe.read", "A.$raddle$r", "A.add", "A.run"];
        assert_eq!(told(&calls, false), Some(vec!["A.run".to_owned()]));
    }

    #[test]
    fn a_site_in_the_jdk_has_callers_only_where_a_thread_is_started() {
        let calls = ["raddle.rt.Probe.effect", "java.lang.Thread.start", "A.main"];
        assert_eq!(told(&calls, false), None);
        assert_eq!(told(&calls, true), Some(vec!["A.main".to_owned()]));
        assert_eq!(told(&["raddle.rt.Probe.read", "A.add", "java.lang.Thread.run"], false), None);
    }

    #[test]
    fn calls_that_are_cut_off_end_there() {
        assert_eq!(written("A\nrun\nA.java\n7\nB\nrun").count(), 1);
        assert_eq!(written("A\nrun\nA.java\nseven\n").count(), 0);
    }
}
