//! Data races by happens-before with epochs: Flanagan and Freund, *FastTrack* (2009), on the full order.
//!
//! Two accesses race if they belong to different threads, one of them writes, and neither comes before the other in
//! the full order (program order, locks, start, join, wait, volatile, signal → observe) of the observed run. For each
//! variable the last write is kept and the last read, or those reads that no other read comes after. Precise: every
//! report is such a pair, and every variable that has one is reported, at the second access of its first race; after
//! that the variable is not looked at again.
//!
//! Misses: races of other schedules: a lock that happened to be handed over in the right order hides them (racer and
//! eraser find those). Wrong: never for the recorded events; only where synchronisation was not recorded.
//!
//! A final field may be read by anybody once the constructor of its object has ended (Java Language Specification,
//! section 17.5), so such a read is no race; if `this` escaped before, the access that used the escape is one.
//! `--paper` does without this.

use events::{Access, Event, ObjectId, Op, OpSet, SiteId, ThreadId, VarId};
use findings::{Confidence, NO_COMMON_LOCK, Role, Rule};
use rustc_hash::FxHashSet;

use crate::shared::frozen::Frozen;
use crate::shared::guard;
use crate::shared::held::Held;
use crate::shared::lockset::LockSet;
use crate::shared::spans::{Moment, Spans};
use crate::shared::vars::{Glance, PerVar, VarState};
use crate::{Details, Detector, Evidence, Now, Options, Out, Span, Spec, StepAt, Subject, Target, Uses};

/// What `fasttrack` is.
pub static SPEC: Spec = Spec {
    name: "fasttrack",
    about: "data races: two accesses of the observed run that nothing orders",
    explain: "\
FastTrack (Flanagan and Freund, 2009) follows what orders the events of the run: program order, locks, start and \
join, wait, volatile variables, latches, queues and the like. Two accesses to one variable race if they belong to \
different threads, one of them writes, and nothing orders them. Java then promises nothing about the value read.

Every report is a race of the observed run, and every variable that had one is reported. It can miss a race that this \
run hid because the threads happened to take a lock in the right order; racer and eraser find those. It is wrong only \
where the program synchronises in a way that was not recorded, which the report lists as gaps. Final fields may be \
read freely once their constructor has ended; with --paper such a read counts like any other.",
    rules: &[Rule::DataRace],
    ops: OpSet::ACCESS.and(OpSet::FREEZE).and(OpSet::FREE),
    uses: Uses { full: true, hand_over: false, history: false, waits: true, ..Uses::NONE },
    new: |options| Box::new(FastTrack::new(options)),
};

/// Nobody yet; also nobody at time 0, which is before everything.
const NOBODY: u32 = u32::MAX;
/// As the writer: the variable has been reported. Like the next one it is at a time after 0, which nobody comes after.
const REPORTED: u32 = u32::MAX - 1;
/// As the reader: several, in the list whose number and one stand in the place of the time.
const SEVERAL: u32 = u32::MAX - 2;

/// An epoch in one number, so that comparing two is one step: the thread, then the time.
fn epoch(thread: u32, time: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(time)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Last {
    epoch: u64,
    site: SiteId,
    locks: LockSet,
}

impl Last {
    const NONE: Last = Last { epoch: (NOBODY as u64) << 32, site: SiteId(0), locks: LockSet::EMPTY };

    #[inline(always)]
    fn thread(&self) -> u32 {
        (self.epoch >> 32) as u32
    }

    #[inline(always)]
    fn time(&self) -> u32 {
        self.epoch as u32
    }

    /// Field by field: a whole access would be put together in memory first and waited for.
    #[inline(always)]
    fn set(&mut self, epoch: u64, site: SiteId, locks: LockSet) {
        self.epoch = epoch;
        self.site = site;
        self.locks = locks;
    }
}

/// Half a cache line, and never across two.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Row {
    write: Last,
    read: Last,
}

const _: () = assert!(size_of::<Row>() == 32);

impl Row {
    const NEW: Row = Row { write: Last::NONE, read: Last::NONE };
}

impl Glance for Row {
    #[inline(always)]
    fn glance(&self) -> u32 {
        self.write.time()
    }
}

/// State by variable, with the lists of readers that some of it refers to.
struct Rows {
    rows: PerVar<Row>,
    /// Of a variable that several threads read without order: one read a thread, by thread.
    readers: Vec<Vec<Last>>,
    spare: Vec<u32>,
}

struct FastTrack {
    paper: bool,
    rows: Rows,
    /// The objects whose constructors have ended.
    frozen: FxHashSet<ObjectId>,
}

/// The thread of a stretch and what it knows.
trait Knows: Copy {
    /// When.
    fn epoch(self) -> u64;

    /// Whether an access comes before what this thread does then.
    fn comes_after(self, access: &Last) -> bool;
}

/// That of the current stretch.
#[derive(Clone, Copy)]
struct Me<'a> {
    thread: u32,
    epoch: u64,
    known: &'a [u32],
}

impl<'a> Me<'a> {
    #[inline(always)]
    fn of(now: &Now<'a>) -> Self {
        let (thread, full) = (now.thread, now.full);
        Self { thread: thread.0, epoch: epoch(thread.0, full.time(thread)), known: full.known(thread) }
    }
}

impl Knows for Me<'_> {
    #[inline(always)]
    fn epoch(self) -> u64 {
        self.epoch
    }

    #[inline(always)]
    fn comes_after(self, access: &Last) -> bool {
        let known = self.known.get(access.thread() as usize).copied().unwrap_or(0);
        (access.thread() == self.thread) | (access.time() <= known)
    }
}

/// That of a stretch of a span.
#[derive(Clone, Copy)]
struct Then<'a> {
    moment: &'a Moment,
    spans: &'a Spans,
}

impl Knows for Then<'_> {
    #[inline(always)]
    fn epoch(self) -> u64 {
        epoch(self.moment.thread.0, self.moment.time)
    }

    #[inline(always)]
    fn comes_after(self, access: &Last) -> bool {
        access.time() <= self.spans.known(self.moment, access.thread())
    }
}

impl Rows {
    /// Puts an access down if what is known of the variable comes before it, which is nearly always the case.
    #[inline(always)]
    fn is_plain(&mut self, access: &Access, me: impl Knows, held: Held) -> bool {
        let row = self.rows.at(access.var);
        let plain = me.comes_after(&row.write) & me.comes_after(&row.read);
        if plain {
            // A write leaves the read before it standing: whatever comes after the write comes after that read.
            let write = access.writes();
            let slot = if write { &mut row.write } else { &mut row.read };
            slot.set(me.epoch(), access.site(), held.protecting(write));
        }
        plain
    }

    /// An access that is not plain. The earlier one that races with it, if there is one, and whether it wrote.
    #[inline(never)]
    fn access(&mut self, access: &Access, me: impl Knows, held: Held) -> Option<(Last, bool)> {
        let (var, write) = (access.var, access.writes());
        let mine = Last { epoch: me.epoch(), site: access.site(), locks: held.protecting(write) };
        let row = self.rows.at(var);
        if row.write.thread() == REPORTED {
            return None;
        }
        if !me.comes_after(&row.write) {
            return Some((row.write, true));
        }
        let list = row.read.time().wrapping_sub(1);
        match (row.read.thread() == SEVERAL, write) {
            (true, true) => {
                if let Some(read) = self.readers[list as usize].iter().find(|read| !me.comes_after(read)) {
                    return Some((*read, false));
                }
                self.drop_list(list);
                // All reads come before this write, so whatever races with one of them later races with it too.
                *self.rows.at(var) = Row { write: mine, read: Last::NONE };
            }
            (true, false) => self.one_of_several(list as usize, mine, me),
            (false, true) => return Some((row.read, false)),
            (false, false) => self.several(var, mine),
        }
        None
    }

    #[inline(never)]
    fn several(&mut self, var: VarId, mine: Last) {
        let list = self.spare.pop().unwrap_or_else(|| {
            self.readers.push(Vec::new());
            self.readers.len() as u32 - 1
        });
        let row = self.rows.at(var);
        let readers = &mut self.readers[list as usize];
        readers.extend([row.read, mine]);
        readers.sort_unstable_by_key(Last::thread);
        row.read.epoch = epoch(SEVERAL, list + 1);
    }

    #[inline(never)]
    fn one_of_several(&mut self, list: usize, mine: Last, me: impl Knows) {
        let readers = &mut self.readers[list];
        match readers.binary_search_by_key(&mine.thread(), Last::thread) {
            Ok(at) => readers[at] = mine,
            Err(_) => {
                if readers.len() == readers.capacity() {
                    // Whatever races with a read that comes before this one later races with this one too.
                    readers.retain(|read| !me.comes_after(read));
                }
                let at = readers.partition_point(|read| read.thread() < mine.thread());
                readers.insert(at, mine);
            }
        }
    }

    fn drop_list(&mut self, list: u32) {
        self.readers[list as usize].clear();
        self.spare.push(list);
    }
}

impl FastTrack {
    fn new(options: &Options) -> Self {
        let rows = Rows { rows: PerVar::new(Row::NEW), readers: Vec::new(), spare: Vec::new() };
        Self { paper: options.paper, rows, frozen: FxHashSet::default() }
    }

    /// Whether anybody may read a variable without any order.
    fn is_frozen(&self, var: VarId, now: &Now<'_>) -> bool {
        let object = now.variable(var).object;
        !self.paper
            && object.is_some_and(|object| self.frozen.contains(&object))
            && Frozen::is_final(var, now)
    }

    #[cold]
    #[inline(never)]
    fn race(
        &mut self,
        access: &Access,
        (other, other_wrote): (Last, bool),
        now: &mut Now<'_>,
        out: &mut Out,
    ) {
        let (var, write) = (access.var, access.writes());
        if !write && self.is_frozen(var, now) {
            return;
        }
        self.rows.forget(var);
        self.rows.rows.at(var).write.epoch = epoch(REPORTED, 1);
        let subject = Subject::SeenAt(var, [other.site, access.site()]);
        if !out.wants(Rule::DataRace, &subject, now) {
            return;
        }
        let locks = now.held.protecting(write);
        let role = |write| if write { Role::Write } else { Role::Read };
        let target = now.variable(var).object.map(|_| Target::Variable(var));
        let other_thread = ThreadId(other.thread());
        let common = now.sets.intersect(other.locks, locks);
        let mut notes = vec![format!(
            "Nothing orders the two accesses: no lock handed over, no start, join, volatile or other signal \
             from {} to {} in between.",
            guard::thread_name(other_thread, now.symbols),
            guard::thread_name(now.thread, now.symbols)
        )];
        if common.is_empty() {
            notes.push(NO_COMMON_LOCK.to_owned());
        }
        let advice = guard::advice_for_two(other.locks, locks, now.sets, now.symbols);
        notes.push(advice.clone());
        let evidence = Evidence {
            rule: Rule::DataRace,
            subject,
            confidence: Confidence::High,
            message: format!(
                "two threads {} {{}} at the same time",
                if other_wrote && write { "write" } else { "read and write" }
            ),
            steps: vec![
                StepAt::new(other_thread, other.site, role(other_wrote), target, other.locks),
                StepAt::new(now.thread, access.site(), role(write), target, locks),
            ],
            notes,
            details: Details { advice, ..Details::default() },
        };
        out.add(evidence, Some(now.at(access)), now);
    }
}

impl Detector for FastTrack {
    fn operation(&mut self, event: &Event, _now: &mut Now<'_>, _out: &mut Out) {
        match event.op {
            Op::Freeze { object } => {
                self.frozen.insert(object);
            }
            Op::Free { object } => {
                self.frozen.remove(&object);
            }
            _ => {}
        }
    }

    fn accesses(&mut self, accesses: &[Access], now: &mut Now<'_>, out: &mut Out) {
        let (me, held) = (Me::of(now), now.held);
        for access in accesses {
            if !self.rows.is_plain(access, me, held)
                && let Some(other) = self.rows.access(access, me, held)
            {
                self.race(access, other, now, out);
            }
        }
    }

    fn span(&mut self, span: &mut Span<'_>, out: &mut Out) {
        let (accesses, spans) = (span.accesses, span.spans);
        let moments = spans.moments();
        for (number, (access, &of)) in accesses.iter().zip(spans.of()).enumerate() {
            let Some(moment) = moments.get(usize::from(of)) else { break };
            let me = Then { moment, spans };
            if !self.rows.is_plain(access, me, moment.held)
                && let Some(other) = self.rows.access(access, me, moment.held)
            {
                self.race(access, other, &mut span.now(number), out);
            }
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.rows);
    }
}

impl VarState for Rows {
    fn touch(&self, accesses: &[Access]) -> u32 {
        self.rows.touch(accesses)
    }

    fn grow(&mut self, n: usize) {
        self.rows.grow(n);
    }

    fn forget(&mut self, var: VarId) {
        let read = self.rows.at(var).read;
        if read.thread() == SEVERAL {
            self.drop_list(read.time() - 1);
        }
        self.rows.forget(var);
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.forget(to);
        self.rows.copy(from, to);
        let read = self.rows.at(to).read;
        if read.thread() == SEVERAL {
            let copied = self.readers[read.time() as usize - 1].clone();
            self.readers.push(copied);
            self.rows.at(to).read.epoch = epoch(SEVERAL, self.readers.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SPEC;
    use crate::testing::{check, default, paper, report};

    #[test]
    fn figure_1_of_the_racer_paper() {
        check(
            &SPEC,
            &default(),
            "
main fork T1
main fork T2
T1 read Task.shared
T1 write Task.shared
T1 acquire Task.class
T1 read Task.shared_protected
T1 write Task.shared_protected
T1 release Task.class
T2 read Task.shared //~ data-race
T2 write Task.shared
T2 acquire Task.class
T2 read Task.shared_protected
T2 write Task.shared_protected
T2 release Task.class
",
        );
    }

    #[test]
    fn a_write_races_with_any_of_several_reads() {
        check(
            &SPEC,
            &default(),
            "
main write x
main fork T1
main fork T2
main fork T3
T1 read x
T2 read x
T3 read x
T1 end
T3 end
main join T1
main join T3
main write x //~ data-race
",
        );
    }

    #[test]
    fn a_write_after_all_reads_is_clean_and_forgets_them() {
        check(
            &SPEC,
            &default(),
            "
main write x
main fork T1
main fork T2
T1 read x
T2 read x
main read x
T1 end
T2 end
main join T1
main join T2
main write x
main fork T3
T3 read x
",
        );
    }

    #[test]
    fn readers_of_a_read_write_lock_do_not_order_each_other() {
        check(
            &SPEC,
            &default(),
            "
T1 acquire rw read
T1 write x
T1 release rw read
T2 acquire rw read
T2 read x //~ data-race
T2 release rw read
T1 acquire rw read
T1 read y
T1 release rw read
T2 acquire rw
T2 write y
T2 release rw
",
        );
    }

    #[test]
    fn the_lock_handed_over_in_the_right_order_hides_what_racer_finds() {
        check(&SPEC, &default(), "T1 write x\nT1 acquire m\nT1 release m\nT2 acquire m\nT2 read x\n");
    }

    #[test]
    fn a_variable_is_reported_once_with_both_sides_and_their_locks() {
        let report = report(
            &[&SPEC],
            &default(),
            "
T1 acquire m
T1 write A@7.f @ A.java:3
T1 release m
T2 read A@7.f @ A.java:9
T2 write A@7.f @ A.java:10
T1 write A@8.f @ A.java:3
T2 write A@8.f @ A.java:10
",
        );
        let findings: Vec<_> = report.findings().collect();
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].subject.as_str(), findings[0].count), ("A.f", 2));
        assert_eq!(findings[0].message, "two threads read and write A.f at the same time");
        let witness = &findings[0].witnesses[0];
        assert_eq!((witness.steps[0].place.line, witness.steps[1].place.line), (3, 9));
        assert_eq!(witness.steps[0].locks, ["m"]);
        assert_eq!(witness.steps[1].target, "A@7.f");
        assert!(witness.notes.iter().any(|note| note.starts_with("Hold m at both places")), "{witness:?}");
    }

    #[test]
    fn a_split_range_keeps_its_readers() {
        check(
            &SPEC,
            &default(),
            "
T1 read int[]@1[0..10]
T2 read int[]@1[0..10]
T3 write int[]@1[5..6] //~ data-race
T4 write int[]@1[0..5] //~ data-race
",
        );
    }

    #[test]
    fn a_freed_object_is_forgotten() {
        check(&SPEC, &default(), "T1 write A@1.f\nT1 free A@1\nT2 write A@1.f\n");
    }

    #[test]
    fn a_final_field_may_be_read_once_its_constructor_has_ended() {
        let trace = |mark: &str| {
            format!(
                "
!final Point.x
T1 write Point@1.x
T1 freeze Point@1
T2 read Point@1.x {mark}
"
            )
        };
        check(&SPEC, &default(), &trace(""));
        check(&SPEC, &paper(), &trace("//~ data-race"));
    }

    #[test]
    fn a_final_field_read_before_its_constructor_has_ended_races() {
        check(
            &SPEC,
            &default(),
            "
!final Point.x
T1 write Point@1.x
T2 read Point@1.x //~ data-race
T1 freeze Point@1
T2 read Point@1.x
",
        );
    }
}
