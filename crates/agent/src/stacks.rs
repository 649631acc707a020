//! Examples of how threads reach sites: the calls on the stack of the current thread, without those of our own.
//!
//! Whether one is wanted is decided in Java (`Stacks`). What a method is called is asked once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use events::session::{Entry, Frame};

use crate::Agent;
use crate::jvm::{Called, Jvmti, jmethodID};

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
fn is_ours(called: &Called) -> bool {
    called.class.starts_with("raddle/rt/")
        || called.method.starts_with("$raddle$")
        || called.class.starts_with("java/lang/invoke/")
}

/// Is it one that nobody wrote?
fn is_hidden(called: &Called) -> bool {
    called.class.contains("$$Lambda")
        || called.class.starts_with("java/lang/invoke/")
        || called.method.starts_with("$raddle$")
}

fn is_of_the_jdk(class: &str) -> bool {
    ["java/", "jdk/", "sun/"].iter().any(|start| class.starts_with(start))
}

impl Agent {
    /// Tells how the current thread came to a site.
    pub fn tell_stack(&self, thread: u32, site: u32) {
        let mut calls = self.calls();
        // The first is the site's own. In the JDK one site stands for all that call it.
        if calls.next().is_some_and(|(own, _)| !is_of_the_jdk(&own.class)) {
            self.tell_calls(thread, site, calls);
        }
    }

    /// Tells how the current thread came to the site at which it starts another one.
    pub fn tell_start(&self, thread: u32, site: u32) {
        let mut calls = self.calls();
        calls.next();
        self.tell_calls(thread, site, calls);
    }

    /// The calls of the program.
    fn calls(&self) -> impl Iterator<Item = (Arc<Called>, i64)> {
        let calls = self.jvmti.calls(ABOVE + MOST).into_iter();
        let named =
            calls.filter_map(|(method, place)| Some((self.stacks.called(&self.jvmti, method)?, place)));
        named.skip_while(|(called, _)| is_ours(called))
    }

    fn tell_calls(&self, thread: u32, site: u32, calls: impl Iterator<Item = (Arc<Called>, i64)>) {
        let calls: Vec<_> = calls.filter(|(called, _)| !is_hidden(called)).take(MOST).collect();
        // Calls of the JDK alone tell nothing.
        if calls.iter().all(|(called, _)| is_of_the_jdk(&called.class)) {
            return;
        }
        let frame = |(called, place): (Arc<Called>, i64)| Frame {
            class: called.class.replace('/', "."),
            method: called.method.clone(),
            file: called.file.clone(),
            line: called.line(place),
        };
        let frames = calls.into_iter().map(frame).collect();
        let mut entry = Vec::new();
        Entry::Stack { number: 0, thread, site, frames }.encode(&mut entry);
        self.names(&entry);
    }
}
