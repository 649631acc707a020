//! Lock order: threads that take the same locks in different orders and can block each other for ever.
//!
//! The lock graph of the trace (Havelund, *Using runtime analysis to guide model checking of Java programs*, SPIN
//! 2000; with the guards of Bensalem and Havelund, *Dynamic deadlock analysis of multi-threaded programs*, HVC 2005):
//! an edge from each lock that a thread holds to each lock that it takes then. A report is a cycle of edges
//! - of as many different threads (one thread alone cannot block itself),
//! - with no gate: no lock is held at two of the edges, unless both hold it in read mode,
//! - pairwise concurrent in the hand-over order: no start, join, signal or volatile forces one of them to be over
//!   before the other begins,
//! - where each lock is held alone by one side or wanted alone by the other: readers do not block each other.
//!
//! Taking a lock that is held already gives no edge; waking up from `wait` takes the lock again and gives edges from
//! the other locks held. One finding for each set of locks, shortest cycles first; a set that contains the locks of a
//! shorter cycle is left out: once that is mended, the next run shows what is left. Confidence: high for two locks and
//! two threads, medium for longer cycles, which need more threads to meet.
//!
//! It needs no unlucky run: the deadlock need not have been near. What it can miss: locks that this run did not nest;
//! a `tryLock` that the trace cannot tell from `lock` is no edge to a deadlock but looks like one, so there it is
//! wrong, as it is where values (a flag, a phase) keep the threads apart; a reader that queues behind a waiting
//! writer is not seen as blocked; cycles of more than eight locks, and what is over the bounds in `nests.rs` and
//! `search.rs`, which is then a gap. When an object dies its lock leaves the graph: cycles through it are reported at
//! that moment. With `--paper` start, join and the rest of the hand-over order exclude nothing.

mod nests;
mod search;
#[cfg(test)]
mod tests;

use events::{Event, LockId, ObjectId, Op, OpSet, SiteId};
use findings::{Confidence, Role, Rule, THE_DEADLOCK};

use self::nests::{Nest, Nests};
use self::search::{LONGEST, Link, Search};
use crate::detector::{Detector, Now, Options, Spec, Uses};
use crate::evidence::{Details, Evidence, Out, StepAt, Subject, Target};
use crate::lock_names;
use crate::shared::held::HeldLock;
use crate::shared::lockset::{LockSet, LockSets};

/// The lock-order detector.
pub static SPEC: Spec = Spec {
    name: "lock-graph",
    about: "lock-order cycles: locks taken in different orders, whether or not a deadlock came of it",
    explain: "Whenever a thread takes a lock while it holds another, the two get an edge in the lock graph. A cycle in \
that graph is a possible deadlock: each thread holds what the next one wants.\n\
\n\
Left out are cycles that cannot block: all edges by one thread; a common outer lock (a gate) that lets only one of \
the threads in; edges that thread start, join or another hand-over keeps apart in time; two readers of a read/write \
lock. With --paper hand-over excludes nothing.\n\
\n\
The deadlock need not have happened, but only locks that this run took inside each other are seen. It can be wrong \
where tryLock is used with a way out, or where the program's values keep the threads apart. Cycles of more than eight \
locks are not looked for. Two locks and two threads are reported with high confidence, longer cycles with medium.",
    rules: &[Rule::LockOrder],
    ops: OpSet::LOCK.and(OpSet::WAIT).and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: false, once: true, ..Uses::NONE },
    new: |_: &Options| Box::<LockGraph>::default(),
};

const ADVICE: &str = "Take the locks in the same order everywhere, or under one common lock, or take the inner one with \
                      tryLock and let go of the outer one when that fails.";

/// The state of the detector.
#[derive(Default)]
struct LockGraph {
    nests: Nests,
    search: Search,
}

impl Detector for LockGraph {
    #[inline]
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        match event.op {
            Op::Acquire { lock, tries: false, .. } | Op::Woken { lock } if now.locks.len() > 1 => {
                self.nests.add(lock, event.site, now);
            }
            Op::Free { object } => self.free(object, now, out),
            _ => {}
        }
    }

    fn finish(&mut self, end: &mut Now<'_>, out: &mut Out) {
        let (cycles, doubtful) = self.search.all(&self.nests);
        for cycle in cycles {
            self.report(&cycle, end, out);
        }
        if self.search.gave_up() {
            out.gap("lock cycles", "the lock graph has too many ways through it to look at all of them", 1);
        }
        if doubtful > 0 {
            let why = format!(
                "groups of locks with no cycle found, but with more than {LONGEST} locks or too many moments to keep"
            );
            out.gap("lock cycles", why, doubtful);
        }
        if self.nests.left_out > 0 {
            out.gap("nested locks", "too many different ones to keep", self.nests.left_out);
        }
    }
}

impl LockGraph {
    fn free(&mut self, object: ObjectId, now: &mut Now<'_>, out: &mut Out) {
        let Some(lock) = self.nests.lock_of(object) else { return };
        let on_a_way = self.nests.holding(lock).next().is_some() && self.nests.wanting(lock).next().is_some();
        if on_a_way {
            for cycle in self.search.through(&self.nests, lock) {
                self.report(&cycle, now, out);
            }
        }
        self.nests.retire(object, lock);
    }

    #[cold]
    fn report(&self, cycle: &[Link], now: &mut Now<'_>, out: &mut Out) {
        // A lock is taken by who holds it and by who wants it.
        let taken_at = |lock: LockId| {
            let nests = cycle.iter().filter_map(|link| self.nests.get(link.nest));
            let held = move |nest: &Nest| nest.holds(lock).map(|held| held.site);
            let wanted = move |nest: &Nest| (nest.wants == lock).then_some(nest.site);
            nests.flat_map(move |nest| held(nest).into_iter().chain(wanted(nest)))
        };
        let named = |lock| (lock, lock_names::field_of(lock, taken_at(lock), now.symbols));
        let subject = Subject::Locks(cycle.iter().map(|link| named(link.from)).collect());
        if !out.wants(Rule::LockOrder, &subject, now) {
            return;
        }
        let mut steps = Vec::new();
        let (mut words, mut tests) = (Vec::new(), Vec::new());
        for link in cycle {
            let Some(nest) = self.nests.get(link.nest) else { continue };
            let Some(at) = nest.held.iter().position(|held| held.lock == link.from) else { continue };
            let taken: Vec<(LockId, SiteId)> = nest
                .held
                .iter()
                .filter(|held| !nests::is_dead(held.lock))
                .map(|held| (held.lock, held.site))
                .collect();
            let step = |site, role, lock, locks| StepAt {
                taken: taken.clone(),
                ..StepAt::new(nest.thread, site, role, Some(Target::Lock(lock)), locks)
            };
            tests.extend(nest.test);
            let outer = set(&nest.held[..at], now.sets);
            let held = set(&nest.held, now.sets);
            steps.push(step(nest.held[at].site, Role::Holds, link.from, outer));
            steps.push(step(nest.site, Role::Wants, nest.wants, held));
            words.push(format!(
                "{} holds {} and wants {}",
                now.symbols.str(now.symbols.threads.get(nest.thread).name),
                lock_names::shown(link.from, now.sets, now.symbols),
                lock_names::shown(nest.wants, now.sets, now.symbols),
            ));
        }
        let evidence = Evidence {
            rule: Rule::LockOrder,
            subject,
            confidence: if cycle.len() == 2 { Confidence::High } else { Confidence::Medium },
            message: "Threads take the locks {} in different orders and can block each other for ever".to_owned(),
            steps,
            notes: vec![
                format!("{THE_DEADLOCK}{}.", words.join(" while ")),
                "No lock is held at all these places, and nothing in the run forces one thread to be done before \
                 the other begins."
                    .to_owned(),
                ADVICE.to_owned(),
            ],
            details: Details { advice: ADVICE.to_owned(), ..Details::default() },
        };
        out.add_late(evidence, None, tests, now);
    }
}

/// The set of some locks held; those whose objects have died have no name any more.
fn set(held: &[HeldLock], sets: &mut LockSets) -> LockSet {
    let living = held.iter().map(|held| held.lock).filter(|&lock| !nests::is_dead(lock));
    living.fold(LockSet::EMPTY, |set, lock| sets.with(set, lock))
}
