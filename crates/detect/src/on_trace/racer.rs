//! Data races by lock sets that count from the first access on: Figure 5b of Bodden and Havelund, *Racer: effective
//! race detection using AspectJ* (2008).
//!
//! A variable is Virgin, then Exclusive (read) or Exclusive-Modified (written) by one thread. A second thread makes it
//! Shared if both only read, else Shared-Modified; a write makes Shared Shared-Modified. Unlike Eraser's, the
//! candidate lock set is refined at *every* access from the first one on, in every state, for Java promises nothing
//! about unguarded initialisation, and `read(t) write(t')` counts: it could have been `write(t') read(t)`. A lock held
//! in read mode protects reads only. Volatile accesses are no data.
//!
//! Reported, once a variable, with the places at which it was used so far (section 5.2.1; the first [`LISTED`] of
//! them, and the history may take some for others): Shared-Modified, no candidate left, *and* two accesses are rivals:
//! of different threads, unordered in the hand-over order, without a lock in common, and one of them writes. An access
//! that comes after all earlier ones in the hand-over order starts the variable afresh at Virgin, so initialisation before `start()`
//! (Figure 8) is no race; so does one by which an object changes hands under a lock (`shared/story.rs`). A read of a final
//! field after the constructor has ended is left out unless `this` escaped. `--paper`: without these.
//!
//! By default this is exact, and finds *every* variable that has any pair of rivals: such a pair makes the state
//! Shared-Modified and the lock set empty. (The history's bound on accesses under ever new locks apart.)
//!
//! Misses: lock errors that the order of the run hid. Wrong: where something other than locks and the known
//! hand-overs keeps accesses apart. The order of accesses is *a* consistent order of the run.

mod places;

use events::{Access, Event, OpSet, SiteId};
use findings::Rule;

use self::places::{LISTED, Places};
use crate::shared::frozen::Frozen;
use crate::shared::guard;
use crate::shared::lockset::LockSet;
use crate::shared::vars::{Glance, PerVar, VarState};
use crate::{Detector, Now, Options, Out, Spec, Subject, Uses};

/// What `racer` is.
pub static SPEC: Spec = Spec {
    name: "racer",
    about: "data races: no lock is common to all accesses, the first thread's included",
    explain: "\
Racer (Bodden and Havelund, 2008) is Eraser made for Java's memory model: every variable that several threads use and \
at least one of them writes must have a lock that is held at every access, from the very first one on. What a \
constructor writes without a lock counts, because Java does not promise that another thread sees it. A finding lists \
all the places at which the variable was used until then.

It needs no unlucky interleaving: two accesses that happened minutes apart are reported if nothing but luck kept them \
apart. It may be wrong where accesses are kept apart by something that is neither a lock nor one of the known \
hand-overs (start, join, volatile, latches, queues).

By default a report needs two accesses with no lock in common that no hand-over orders, a variable that is handed \
over (for example by Thread.start) starts afresh, and final fields may be read freely once their constructor has \
ended without letting `this` escape. A field starts afresh, too, when its object was left for another thread in a place that a lock guards, \
and when a thread takes an object away that was used under a lock so far and goes on without, unless others come back \
to it. Where a lock was held at some accesses and missing at others, confidence is medium; where none was ever held it \
is low, unless fasttrack sees the race as well. With --paper none of this holds: the report comes from the lock set \
alone.",
    rules: &[Rule::DataRace],
    ops: OpSet::ACCESS.and(OpSet::FREEZE).and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: true, news: true, places: true, once: true, ..Uses::NONE },
    new: |options| Box::new(Racer::new(options)),
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum State {
    Virgin,
    Exclusive,
    ExclusiveModified,
    Shared,
    SharedModified,
    Reported,
}

/// What is kept of one variable.
#[derive(Clone, Copy)]
struct Row {
    locks: LockSet,
    /// The thread of an Exclusive or Exclusive-Modified variable.
    owner: u32,
    /// The history's: every access that could change it is seen here too.
    generation: u32,
    state: State,
    is_final: bool,
}

const _: () = assert!(size_of::<Row>() == 16);

impl Row {
    const NEW: Row =
        Row { locks: LockSet::EMPTY, owner: 0, generation: 0, state: State::Virgin, is_final: false };
}

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.owner
    }
}

struct Racer {
    paper: bool,
    rows: PerVar<Row>,
    places: Places,
    frozen: Frozen,
}

impl Racer {
    fn new(options: &Options) -> Self {
        Self {
            paper: options.paper,
            rows: PerVar::new(Row::NEW),
            places: Places::default(),
            frozen: Frozen::default(),
        }
    }

    /// An access that may change something.
    #[inline(never)]
    fn access(&mut self, access: &Access, now: &mut Now<'_>, out: &mut Out) {
        let (var, write) = (access.var, access.writes());
        let row = self.rows.at(var);
        let generation = now.history.generation(var);
        if row.generation != generation {
            let is_final = !self.paper && Frozen::is_final(var, now);
            *row = Row { generation, is_final, ..Row::NEW };
            if is_final {
                now.history.leaves_some_out(var);
            }
        }
        if row.is_final && !write && self.frozen.protects(var, now) {
            return;
        }
        let locks = now.held.protecting(write);
        let me = now.thread.0;
        if row.state == State::Virgin {
            row.locks = locks;
            row.owner = me;
        } else {
            row.locks = now.sets.intersect(row.locks, locks);
        }
        row.state = match (row.state, write) {
            (State::Virgin, false) => State::Exclusive,
            (State::Virgin, true) => State::ExclusiveModified,
            (State::Exclusive, true) if row.owner == me => State::ExclusiveModified,
            (State::Exclusive | State::ExclusiveModified, _) if row.owner == me => row.state,
            (State::Exclusive, false) => State::Shared,
            (State::Exclusive | State::ExclusiveModified, _) => State::SharedModified,
            (State::Shared, true) => State::SharedModified,
            (state, _) => state,
        };
        if row.state == State::SharedModified
            && row.locks.is_empty()
            && (self.paper || now.history.is_paired(var))
        {
            self.look(access, now, out);
        }
    }

    /// Whether this is a read of a final field that nothing can go wrong with.
    #[inline(always)]
    fn may_be_read_freely(&self, access: &Access, now: &Now<'_>) -> bool {
        let var = access.var;
        self.frozen.any() && !access.writes() && Frozen::is_final(var, now) && self.frozen.protects(var, now)
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
        if !out.wants_so_sure(Rule::DataRace, &subject, confidence, now) {
            return;
        }
        let message = "{} is accessed unprotected: several threads use it, one of them writes, and no lock is held at \
                       every access";
        let mut evidence = guard::evidence(var, sides, message, confidence, now);
        let listed = self.places.of(var);
        for &place in listed.places() {
            let did = if place & 1 == 1 { "Write" } else { "Read" };
            evidence.notes.push(format!("{did} at {}.", guard::site_name(SiteId(place >> 1), now.symbols)));
        }
        if listed.is_full() {
            evidence.notes.push(format!("There are more places; these are the first {LISTED}."));
        }
        out.add(evidence, Some(now.at(access)), now);
    }
}

impl Detector for Racer {
    fn operation(&mut self, event: &Event, now: &mut Now<'_>, _out: &mut Out) {
        if !self.paper {
            self.frozen.step(event, now);
        }
    }

    /// Accesses from a new place, some of which are news.
    fn some(&mut self, accesses: &[Access], which: &[u32], now: &mut Now<'_>, out: &mut Out) {
        let mut news = now.found.news.get().iter().peekable();
        for i in which {
            let Some(access) = accesses.get(*i as usize) else { continue };
            if !now.history.has_all_places(access.var) && !self.may_be_read_freely(access, now) {
                self.places.list(access.var, access.place(), now.history.generation(access.var));
            }
            if news.next_if_eq(&i).is_some() {
                self.access(access, now, out);
            }
        }
        for (var, generation) in self.places.full.drain(..) {
            now.history.enough_places(var, generation);
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.rows);
        each(&mut self.places);
    }
}

#[cfg(test)]
mod tests {
    use super::SPEC;
    use crate::testing::{check, default, paper, report, subjects};

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
T2 read Task.shared @ Task.java:8 //~ data-race
T2 write Task.shared @ Task.java:8
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
    fn figure_5b_one_thread_alone_stays_exclusive() {
        check_both("T1 read x\nT1 write x\nT1 read x\nT1 write x\n");
        check_both("T1 write x\nT1 read x\nT1 write x\n");
    }

    #[test]
    fn figure_5b_reads_of_two_threads_are_shared_and_never_reported() {
        check_both("T1 read x\nT2 read x\nT3 read x\nT1 read x\n");
    }

    #[test]
    fn figure_5b_read_then_write_by_another_thread_is_reported() {
        check_both("T1 read x\nT2 write x //~ data-race\n");
    }

    #[test]
    fn figure_5b_any_access_after_another_threads_write_is_shared_modified() {
        check_both("T1 write x\nT2 read x //~ data-race\n");
        check_both("T1 write x\nT2 write x //~ data-race\n");
        check_both("T1 read x\nT1 write x\nT2 read x //~ data-race\n");
    }

    #[test]
    fn figure_5b_a_write_makes_shared_shared_modified() {
        check_both("T1 read x\nT2 read x\nT1 write x //~ data-race\n");
        check_both("T1 read x\nT2 read x\nT3 write x //~ data-race\n");
    }

    #[test]
    fn figure_5b_the_lock_set_counts_from_the_first_access_on() {
        check_both(
            "
T1 write x
T2 acquire a
T2 write x //~ data-race
T2 release a
",
        );
        check_both(
            "
T1 acquire a
T1 write x
T1 release a
T1 read x
T2 acquire a
T2 write x //~ data-race
T2 release a
",
        );
    }

    #[test]
    fn a_variable_always_under_its_lock_is_clean() {
        check_both(
            "
T1 acquire a
T1 acquire b
T1 write x
T1 release b
T1 release a
T2 acquire b
T2 write x
T2 read x
T2 release b
T1 acquire b
T1 read x
T1 release b
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
    fn figure_6_a_write_after_this_escaped_is_a_race_always() {
        check_both("awt read ThisEscape@1.i\nmain write ThisEscape@1.i //~ data-race\n");
        check_both("main write ThisEscape@1.i\nawt read ThisEscape@1.i //~ data-race\n");
        // Even when starting the thread orders what came before it.
        check_both(
            "
main fork awt
awt read ThisEscape@1.i
main write ThisEscape@1.i //~ data-race
",
        );
    }

    const FIGURE_8: &str = "
main write ExecConditionChecker@1.conditionSetChanged @ ExecConditionChecker.java:2
main fork checker @ ExecConditionChecker.java:19
checker read ExecConditionChecker@1.conditionSetChanged @ Checker.java:7
";

    #[test]
    fn figure_8_initialisation_before_start_is_a_race_only_in_the_paper() {
        assert!(subjects(&SPEC, &default(), FIGURE_8).is_empty());
        assert_eq!(
            subjects(&SPEC, &paper(), FIGURE_8),
            ["ExecConditionChecker.conditionSetChanged"],
            "the paper does not know that start() gives order"
        );
    }

    const FINAL: &str = "
!final Point.x
main write Point@1.x @ Point.java:5
main freeze Point@1 @ Point.java:6
T1 read Point@1.x @ Other.java:9
T2 read Point@1.x @ Other.java:9
";

    #[test]
    fn a_final_field_read_after_its_constructor_is_a_race_only_in_the_paper() {
        assert!(subjects(&SPEC, &default(), FINAL).is_empty());
        assert_eq!(subjects(&SPEC, &paper(), FINAL), ["Point.x"]);
    }

    #[test]
    fn a_field_that_is_not_final_is_no_safer_after_the_constructor() {
        assert_eq!(subjects(&SPEC, &default(), &FINAL.replace("!final Point.x\n", "")), ["Point.x"]);
    }

    #[test]
    fn a_final_field_races_if_this_escaped_before_the_constructor_ended() {
        check_both(
            "
!final Point.x
main write Point@1.x
T1 read Point@1.x //~ data-race
main freeze Point@1
",
        );
        check_both(
            "
!final Point.x
main write Point@1.x
T1 read Point@1.y
main freeze Point@1
T2 read Point@1.x //~ data-race
",
        );
    }

    #[test]
    fn section_5_2_1_the_report_names_the_object_and_all_places() {
        let report = report(
            &[&SPEC],
            &default(),
            "
exec read ActionExecution@6171853.status @ ActionExecution.java:233
exec read ActionExecution@6171853.status @ ActionExecution.java:244
exec read ActionExecution@6171853.status @ ActionExecution.java:233
action write ActionExecution@6171853.status @ ActionExecution.java:370
",
        );
        let finding = report.findings().next().expect("one finding");
        assert_eq!(finding.subject, "ActionExecution.status");
        assert_eq!(
            finding.message,
            "ActionExecution.status is accessed unprotected: several threads use it, one of them writes, and \
             no lock is held at every access"
        );
        let witness = &finding.witnesses[0];
        assert!(witness.steps.iter().all(|step| step.target == "ActionExecution@6171853.status"));
        assert_eq!((witness.steps[0].thread.as_str(), witness.steps[1].thread.as_str()), ("exec", "action"));
        let places: Vec<&str> =
            witness.notes.iter().map(String::as_str).filter(|note| note.contains(" at Action")).collect();
        assert_eq!(
            places,
            [
                "Read at ActionExecution.java:233.",
                "Read at ActionExecution.java:244.",
                "Write at ActionExecution.java:370."
            ]
        );
    }

    #[test]
    fn places_from_before_a_hand_over_are_not_listed() {
        let report = report(
            &[&SPEC],
            &default(),
            "
main write x @ :1
main fork T1
T1 write x @ :2
main write x @ :3
",
        );
        let notes = report.findings().next().expect("one finding").witnesses[0].notes.join(" ");
        assert!(notes.contains("Write at line 2. Write at line 3."), "{notes}");
        assert!(!notes.contains("line 1"), "{notes}");
    }

    #[test]
    fn an_access_that_the_lock_of_the_last_one_would_hide_is_remembered() {
        // The first write holds nothing; that the same thread later held a does not make it safe.
        check(
            &SPEC,
            &default(),
            "
T1 write x
T1 acquire a
T1 write x
T1 release a
T2 acquire a
T2 read x //~ data-race
",
        );
    }

    #[test]
    fn array_elements_are_variables_of_their_own() {
        check_both(
            "
T1 write int[]@3[0..50]
T2 write int[]@3[50..100]
T1 read int[]@3[0..50]
T2 read int[]@3[49..60] //~ data-race
",
        );
    }

    #[test]
    fn every_second_element_is_none_of_the_others() {
        check_both(
            "
T1 write int[]@3[0..100:2]
T2 write int[]@3[1..100:2]
T1 read int[]@3[0..100:2]
T2 read int[]@3[3..90:4]
T2 read int[]@3[41..47:3] //~ data-race
",
        );
    }

    #[test]
    fn a_freed_object_is_forgotten() {
        check_both("T1 write A@1.f\nT1 free A@1\nT2 write A@1.f\n");
    }

    /// What one thread does with an object before and after another one gets it from under a lock.
    fn published(before: &str, by: &str, after: &str) -> String {
        format!("{before}\nmain acquire m\nmain release m\n{by} acquire m\n{by} release m\n{after}\n")
    }

    #[test]
    fn an_object_that_was_left_under_a_lock_for_another_thread_starts_afresh() {
        let init = "main fork T1\nmain write A@1.x";
        check(&SPEC, &default(), &published(init, "T1", "T1 read A@1.x\nT1 write A@1.x"));
        let under_own = "T1 acquire A@1\nT1 write A@1.x\nT1 release A@1\nmain acquire A@1\nmain write A@1.x";
        check(&SPEC, &default(), &published(init, "T1", under_own));
        assert_eq!(subjects(&SPEC, &paper(), &published(init, "T1", "T1 read A@1.x")), ["A.x"]);
    }

    #[test]
    fn publishing_does_not_hide_what_comes_later_or_was_known_all_along() {
        let init = "main fork T1\nmain write A@1.x";
        check(&SPEC, &default(), &published(init, "T1", "T1 read A@1.x\nmain write A@1.x //~ data-race"));
        // T1 may have known the object since it was started.
        let known = "main write A@1.x\nmain fork T1\nmain write A@1.x";
        check(&SPEC, &default(), &published(known, "T1", "T1 read A@1.x //~ data-race"));
        // A static field is in no object.
        let static_field = "main fork T1\nmain write A.x";
        check(&SPEC, &default(), &published(static_field, "T1", "T1 read A.x //~ data-race"));
        // Nothing has been published yet.
        check(&SPEC, &default(), "main fork T1\nmain write A@1.x\nT1 read A@1.x //~ data-race\n");
    }

    #[test]
    fn what_is_taken_away_from_under_its_lock_races_only_if_others_come_back() {
        let under = |thread: &str| format!("{thread} acquire m\n{thread} write A@1.x\n{thread} release m\n");
        let used = format!("main write A@1.x\nmain fork T1\nmain fork T2\n{}{}", under("T1"), under("T2"));
        check(&SPEC, &default(), &format!("{used}T2 write A@1.x\n"));
        check(
            &SPEC,
            &default(),
            &format!("{used}T2 write A@1.x\nT1 acquire m\nT1 write A@1.x //~ data-race\nT1 release m\n"),
        );
        // Who has taken no order from T1 cannot have taken it away.
        check(&SPEC, &default(), &format!("{used}main read A@1.x //~ data-race\n"));
    }

    #[test]
    fn threads_that_meet_at_a_barrier_of_their_own_hand_over() {
        let phase = |first: &str, last: &str| {
            format!(
                "{first} write A@1.x
{first} acquire b
{first} write B@1.waiting
{first} wait b
{last} acquire b
{last} write B@1.waiting
{last} release b
{last} read A@1.x
{last} write A@1.x
{first} woken b
{first} release b
{last} acquire b
{last} write B@1.waiting
{last} wait b
{first} acquire b
{first} write B@1.waiting
{first} release b
{last} woken b
{last} release b
"
            )
        };
        let start = "main write A@1.x\nmain fork T1\nmain fork T2\n";
        let phases = format!("{start}{}{}{}", phase("T1", "T2"), phase("T1", "T2"), phase("T1", "T2"));
        check(&SPEC, &default(), &phases);
        let unannounced = phases.replace("T1 write B@1.waiting\nT1 wait b", "T1 wait b");
        assert_eq!(subjects(&SPEC, &default(), &unannounced), ["A.x"]);
    }
}
