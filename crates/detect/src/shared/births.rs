//! Where each thread was started and by whom, for the report.

use events::{Event, Op, SiteId, ThreadId};

/// The starts of all threads so far.
#[derive(Default)]
pub struct Births {
    threads: Vec<Option<(ThreadId, SiteId)>>,
}

impl Births {
    /// Takes a fork into account; other operations change nothing.
    pub fn step(&mut self, event: &Event) {
        if let Op::Fork { child } = event.op {
            if self.threads.len() <= child.index() {
                self.threads.resize(child.index() + 1, None);
            }
            self.threads[child.index()] = Some((event.thread, event.site));
        }
    }

    /// Who started a thread, and where.
    pub fn of(&self, thread: ThreadId) -> Option<(ThreadId, SiteId)> {
        self.threads.get(thread.index()).copied().flatten()
    }
}
