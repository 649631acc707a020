//! Data races by lock sets: Eraser (Savage et al., 1997) with the states of Figure 5a of Bodden and Havelund,
//! *Racer: effective race detection using AspectJ* (2008).
//!
//! A variable is Virgin, then Exclusive to the first thread that accesses it, whatever that thread does. The first
//! access of a second thread makes it Shared (a read) or Shared-Modified (a write) and starts the candidate lock set
//! with the locks held; every later access removes those it does not hold. A write makes Shared Shared-Modified. A
//! lock held in read mode protects reads only. Volatile accesses are no data.
//!
//! Reported, once a variable: Shared-Modified, no candidate left, *and* two accesses are rivals: of different threads,
//! unordered in the hand-over order, without a lock in common, and one of them writes. An
//! access that comes after all earlier ones in the hand-over order starts the variable afresh at Virgin, and so does one by
//! which an object changes hands under a lock (`shared/story.rs`). A read of a final field after the constructor has ended is
//! left out unless `this` escaped. `--paper`: without these.
//!
//! This is exact (the history's bound on accesses under ever new locks apart), although only accesses that are news to
//! the history are looked at: one just like an earlier one of the same thread changes neither state nor lock set.
//!
//! Misses: what the first thread does before a second one comes (racer finds that), and lock errors that the order
//! of the run hid. Wrong: where something other than locks and the known hand-overs keeps accesses apart. States
//! depend on the order of accesses in the trace, which is *a* consistent order of the run.

use events::{Access, Event, OpSet};
use findings::Rule;

use crate::shared::frozen::Frozen;
use crate::shared::guard;
use crate::shared::lockset::LockSet;
use crate::shared::vars::{Glance, PerVar, VarState};
use crate::{Detector, Now, Options, Out, Spec, Subject, Uses};

/// What `eraser` is.
pub static SPEC: Spec = Spec {
    name: "eraser",
    about: "data races: no lock is common to all accesses once a second thread has come",
    explain: "\
Eraser (Savage et al., 1997) checks a locking discipline: every variable that several threads use and at least one of \
them writes must have a lock that is held at every access. It keeps for each variable the locks that were held at all \
accesses so far and reports when none is left. What the first thread does before any other comes is taken for \
initialisation and not checked.

It needs no unlucky interleaving: two accesses that happened minutes apart are reported if nothing but luck kept them \
apart. It can miss an error in the initialisation (racer finds those). It may be wrong where accesses are kept apart \
by something that is neither a lock nor one of the known hand-overs (start, join, volatile, latches, queues).

By default a report needs two accesses with no lock in common that no hand-over orders, a variable that is handed \
over starts afresh, also when its object changes hands under a lock, and final fields may be read freely once their \
constructor has ended. Where a lock was held at some accesses and missing at others, confidence is medium; where none \
was ever held it is low, unless fasttrack sees the race as well. With --paper none of this holds: the report comes \
from the lock set alone.",
    rules: &[Rule::DataRace],
    ops: OpSet::ACCESS.and(OpSet::FREEZE).and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: true, news: true, once: true, ..Uses::NONE },
    new: |options| Box::new(Eraser::new(options)),
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum State {
    Virgin,
    Exclusive,
    Shared,
    SharedModified,
    Reported,
}

#[derive(Clone, Copy)]
struct Row {
    locks: LockSet,
    generation: u32,
    /// The thread of an Exclusive variable.
    owner: u32,
    state: State,
    is_final: bool,
}

const _: () = assert!(size_of::<Row>() <= 16);

impl Row {
    const NEW: Row =
        Row { locks: LockSet::EMPTY, generation: 0, owner: 0, state: State::Virgin, is_final: false };
}

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.owner
    }
}

struct Eraser {
    paper: bool,
    rows: PerVar<Row>,
    frozen: Frozen,
}

impl Eraser {
    fn new(options: &Options) -> Self {
        Self { paper: options.paper, rows: PerVar::new(Row::NEW), frozen: Frozen::default() }
    }

    /// An access that may change something.
    #[inline(never)]
    fn access(&mut self, access: &Access, now: &mut Now<'_>, out: &mut Out) {
        let (var, write) = (access.var, access.writes());
        let row = self.rows.at(var);
        let generation = now.history.generation(var);
        if row.generation != generation {
            *row = Row { generation, is_final: !self.paper && Frozen::is_final(var, now), ..Row::NEW };
            if row.is_final {
                now.history.leaves_some_out(var);
            }
        }
        if row.is_final && !write && self.frozen.protects(var, now) {
            return;
        }
        let locks = now.held.protecting(write);
        match row.state {
            State::Virgin => {
                row.state = State::Exclusive;
                row.owner = now.thread.0;
            }
            State::Exclusive if row.owner == now.thread.0 => {}
            State::Exclusive => {
                row.state = if write { State::SharedModified } else { State::Shared };
                row.locks = locks;
            }
            State::Shared | State::SharedModified => {
                row.locks = now.sets.intersect(row.locks, locks);
                if write {
                    row.state = State::SharedModified;
                }
            }
            State::Reported => {}
        }
        if row.state == State::SharedModified
            && row.locks.is_empty()
            && (self.paper || now.history.is_paired(var))
        {
            self.look(access, now, out);
        }
    }

    /// No lock is left: reports if there is a pair of accesses to show.
    #[cold]
    #[inline(never)]
    fn look(&mut self, access: &Access, now: &mut Now<'_>, out: &mut Out) {
        let var = access.var;
        let Some(sides) = guard::sides(access, self.paper, now) else { return };
        self.rows.at(var).state = State::Reported;
        let subject = Subject::SeenAt(var, [sides.0.site, sides.1.site]);
        let confidence = guard::confidence(var, &sides, self.paper, now);
        if out.wants_so_sure(Rule::DataRace, &subject, confidence, now) {
            let message =
                "{} is used by several threads, one of them writes, and no lock is held at every access";
            out.add(guard::evidence(var, sides, message, confidence, now), Some(now.at(access)), now);
        }
    }
}

impl Detector for Eraser {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, _out: &mut Out) {
        if !self.paper {
            self.frozen.step(event, now);
        }
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, out: &mut Out) {
        for access in accesses {
            self.access(access, now, out);
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.rows);
    }
}

#[cfg(test)]
mod tests {
    use findings::Confidence;

    use super::SPEC;
    use crate::testing::{check, default, paper, report};

    /// The same verdict by default and in the paper's mode.
    fn check_both(text: &str) {
        check(&SPEC, &default(), text);
        check(&SPEC, &paper(), text);
    }

    #[test]
    fn figure_1_only_the_unprotected_static_field_races() {
        check_both(
            "
main fork T1
main fork T2
T1 read Task.shared @ Task.java:8
T1 write Task.shared @ Task.java:8
T1 acquire Task.class
T1 read Task.shared_protected @ Task.java:10
T1 write Task.shared_protected @ Task.java:10
T1 release Task.class
T1 read Task@1.not_shared @ Task.java:12
T1 write Task@1.not_shared @ Task.java:12
T2 read Task.shared @ Task.java:8
T2 write Task.shared @ Task.java:8 //~ data-race
T2 acquire Task.class
T2 read Task.shared_protected @ Task.java:10
T2 write Task.shared_protected @ Task.java:10
T2 release Task.class
T2 read Task@2.not_shared @ Task.java:12
T2 write Task@2.not_shared @ Task.java:12
",
        );
    }

    #[test]
    fn figure_5a_one_thread_alone_stays_exclusive() {
        check_both("T1 read x\nT1 write x\nT1 read x\nT1 write x\n");
    }

    #[test]
    fn figure_5a_a_read_by_a_second_thread_is_shared_and_never_reported() {
        check_both("T1 write x\nT2 read x\nT3 read x\nT1 read x\n");
    }

    #[test]
    fn figure_5a_a_write_by_a_second_thread_is_shared_modified() {
        check_both("T1 write x\nT2 write x //~ data-race\n");
        check_both("T1 read x\nT2 write x //~ data-race\n");
    }

    #[test]
    fn figure_5a_a_write_makes_shared_shared_modified() {
        check_both("T1 read x\nT2 read x\nT1 write x //~ data-race\n");
    }

    #[test]
    fn figure_5a_shared_refines_without_reporting() {
        check_both(
            "
T1 read x
T2 acquire a
T2 read x
T2 release a
T3 acquire b
T3 read x
T3 release b
T1 acquire c
T1 write x //~ data-race
",
        );
    }

    #[test]
    fn the_lock_set_starts_at_the_first_access_by_a_second_thread() {
        check_both(
            "
T1 write x
T2 acquire a
T2 write x
T2 release a
T1 acquire a
T1 write x
T1 release a
",
        );
    }

    #[test]
    fn a_lock_held_in_read_mode_protects_reads_only() {
        check_both(
            "
T1 acquire rw
T1 write x
T1 release rw
T2 acquire rw read
T2 read x
T2 release rw read
T1 acquire rw
T1 write x
T1 release rw
T2 acquire rw read
T2 write x //~ data-race
",
        );
    }

    #[test]
    fn volatile_accesses_do_not_race() {
        check_both("T1 vwrite x\nT2 vwrite x\nT1 vread x update\nT1 vwrite x update\nT2 vread x\n");
    }

    #[test]
    fn figure_6_a_write_after_this_escaped_is_a_race() {
        check_both("main write Other.x\nawt read ThisEscape@1.i\nmain write ThisEscape@1.i //~ data-race\n");
    }

    #[test]
    fn start_and_join_hand_a_variable_over_but_not_in_the_paper() {
        let text = |mark: &str| {
            format!("main fork T1\nT1 write x\nT1 end\nmain join T1\nmain write x {mark}\nmain read x\n")
        };
        check(&SPEC, &default(), &text(""));
        check(&SPEC, &paper(), &text("//~ data-race"));
    }

    #[test]
    fn without_a_rival_an_empty_lock_set_is_not_reported() {
        // Written under both locks, read under either: safe, although no lock is common to all.
        let text = |mark: &str| {
            format!(
                "
T1 acquire a
T1 acquire b
T1 write x
T1 release b
T1 release a
T2 acquire a
T2 acquire b
T2 write x
T2 release b
T2 release a
T2 acquire a
T2 read x
T2 release a
T1 acquire b
T1 read x {mark}
T1 release b
"
            )
        };
        check(&SPEC, &default(), &text(""));
        check(&SPEC, &paper(), &text("//~ data-race"));
    }

    #[test]
    fn a_rival_that_comes_later_is_reported_then() {
        check(
            &SPEC,
            &default(),
            "
T1 acquire a
T1 acquire b
T1 write x
T2 read y
T1 release b
T1 release a
T2 acquire a
T2 write x
T2 release a
T1 acquire b
T1 read x //~ data-race
",
        );
    }

    #[test]
    fn a_variable_is_reported_once_and_variables_of_one_field_are_one_finding() {
        let report = report(
            &[&SPEC],
            &default(),
            "T1 write A@1.f\nT2 write A@1.f\nT1 write A@1.f\nT1 write A@2.f\nT2 write A@2.f\n",
        );
        let findings: Vec<_> = report.findings().collect();
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].subject.as_str(), findings[0].count), ("A.f", 2));
        assert_eq!(findings[0].witnesses[0].steps[0].target, "A@1.f");
    }

    #[test]
    fn the_notes_tell_how_the_locks_became_fewer() {
        let report = report(
            &[&SPEC],
            &default(),
            "
T1 acquire a
T1 write x
T1 release a
T2 acquire a
T2 write x
T2 release a
T3 acquire b
T3 write x
",
        );
        let notes = &report.findings().next().expect("one finding").witnesses[0].notes;
        assert_eq!(notes[0], "No lock is held at both places.");
        assert_eq!(notes[1], "T2 held {a}, T3 held {b}: nothing in common.");
        assert_eq!(
            notes[2],
            "Guard every access with the same lock, for example a, which most accesses hold already."
        );
    }

    /// An access of a thread under some locks, taken one in the other.
    fn under(thread: &str, locks: &str, access: &str) -> String {
        let taken: String = locks.chars().map(|lock| format!("{thread} acquire {lock}\n")).collect();
        let given: String = locks.chars().rev().map(|lock| format!("{thread} release {lock}\n")).collect();
        format!("{taken}{thread} {access}\n{given}")
    }

    #[test]
    fn locks_that_a_second_thread_held_besides_the_common_one_go_one_by_one() {
        let until = |last: &str, mark: &str| {
            [
                under("T1", "a", "write x"),
                under("T2", "ab", "write x"),
                under("T1", "ab", "write x"),
                under("T1", "a", "write x"),
                under("T2", "abc", "write x"),
                under("T2", last, &format!("write x {mark}")),
            ]
            .concat()
        };
        check_both(&until("ac", ""));
        check_both(&until("b", "//~ data-race"));
    }

    #[test]
    fn a_final_field_that_is_written_late_is_seen_under_all_its_locks() {
        let trace = [
            "!final A.x\n".to_owned(),
            under("T1", "ab", "write A@1.x"),
            "T1 freeze A@1\n".to_owned(),
            under("T2", "a", "read A@1.x"),
            under("T2", "ab", "write A@1.x"),
            under("T3", "a", "write A@1.x"),
            under("T2", "b", "write A@1.x //~ data-race"),
        ];
        check(&SPEC, &default(), &trace.concat());
    }

    #[test]
    fn what_no_access_had_a_lock_for_is_of_low_confidence() {
        let confidence = |options, text: &str| {
            report(&[&SPEC], &options, text).findings().next().map(|finding| finding.confidence)
        };
        let bare = "T1 write x\nT2 write x\n";
        assert_eq!(confidence(default(), bare), Some(Confidence::Low));
        assert_eq!(confidence(paper(), bare), Some(Confidence::Medium));
        let forgotten = format!("T1 write x\n{}", under("T2", "a", "write x"));
        assert_eq!(confidence(default(), &forgotten), None, "the first thread may do without");
        let forgotten = format!("{forgotten}T1 write x\n");
        assert_eq!(confidence(default(), &forgotten), Some(Confidence::Medium));
    }

    #[test]
    fn a_freed_object_is_forgotten() {
        check_both("T1 write A@1.f\nT1 free A@1\nT2 write A@1.f\n");
    }
}
