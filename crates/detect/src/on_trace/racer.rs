//! Data races by lock sets that count from the first access on: Figure 5b of Bodden and Havelund, *Racer: effective
//! race detection using AspectJ* (2008).
//!
//! A variable is Virgin, then Exclusive (read) or Exclusive-Modified (written) by one thread. A second thread makes it
//! Shared if both only read, else Shared-Modified; a write makes Shared Shared-Modified. Unlike Eraser's, the
//! candidate lock set is refined at *every* access from the first one on, in every state, for Java promises nothing
//! about unguarded initialisation, and `read(t) write(t')` counts: it could have been `write(t') read(t)`. A lock held
//! in read mode protects reads only. Volatile accesses are no data.
//!
//! Reported, once a variable, with all places at which it was used so far (section 5.2.1; the first [`LONGEST`] of
//! them): Shared-Modified, no candidate left, *and* the access has a rival, an earlier access of another thread that is
//! unordered in the hand-over order, holds no lock in common, and one of the two writes. An access that comes after
//! all earlier ones in the hand-over order starts the variable afresh at Virgin, so initialisation before `start()`
//! (Figure 8) is no race. A read of a final field after the constructor has ended is left out unless `this` escaped.
//! `--paper`: without these three.
//!
//! By default this is exact, and finds *every* variable that has any pair of rivals: such a pair makes the state
//! Shared-Modified and the lock set empty. (The history's bound on accesses under ever new locks apart.)
//!
//! Misses: lock errors that the order of the run hid. Wrong: where something other than locks and the known
//! hand-overs keeps accesses apart. The order of accesses is *a* consistent order of the run.

use events::{Event, Op, OpSet, VarId};
use findings::{Confidence, Role, Rule};

use crate::shared::frozen::Frozen;
use crate::shared::guard;
use crate::shared::history::Access;
use crate::shared::lockset::LockSet;
use crate::shared::places::{LONGEST, Place, PlaceList, Places};
use crate::shared::vars::{PerVar, VarState};
use crate::{Detector, Evidence, Now, Options, Out, Spec, StepAt, Subject, Target, Uses};

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
ended without letting `this` escape. With --paper none of this holds: the report comes from the lock set alone.",
    rules: &[Rule::DataRace],
    ops: OpSet::ACCESS.and(OpSet::FREEZE).and(OpSet::FREE),
    uses: Uses { full: false, hand_over: true, history: true },
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

#[derive(Clone, Copy)]
struct Row {
    locks: LockSet,
    /// The thread of an Exclusive or Exclusive-Modified variable.
    owner: u32,
    /// Where it was used.
    places: PlaceList,
    /// The history's, as far as it fits: every access that could change it is seen here too.
    generation: u16,
    state: State,
    /// [`FINAL`] and [`FULL`].
    flags: u8,
}

/// A final field of an object.
const FINAL: u8 = 1;
/// No more places can be added.
const FULL: u8 = 2;

const _: () = assert!(size_of::<Row>() <= 16);

impl Row {
    const NEW: Row = Row {
        locks: LockSet::EMPTY,
        owner: 0,
        places: PlaceList::EMPTY,
        generation: 0,
        state: State::Virgin,
        flags: 0,
    };
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

    #[inline(always)]
    fn access(&mut self, event: &Event, var: VarId, write: bool, now: &mut Now<'_>, out: &mut Out) {
        let row = self.rows.at(var);
        if row.state == State::Reported {
            return;
        }
        let generation = now.history.generation(var) as u16;
        if row.state == State::Virgin || row.generation != generation {
            let is_final = !self.paper && Frozen::is_final(var, now);
            *row = Row { generation, flags: u8::from(is_final) * FINAL, ..Row::NEW };
        }
        if row.flags & FINAL != 0 && !write && self.frozen.protects(var, now) {
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
        if row.flags & FULL == 0 {
            let longer = self.places.with(row.places, Place { site: event.site, write });
            if longer != row.places {
                row.places = longer;
                row.flags |= u8::from(self.places.is_full(longer)) * FULL;
            }
        }
        if row.state == State::SharedModified
            && row.locks.is_empty()
            && (self.paper || now.history.is_paired(var))
        {
            self.look(event, var, write, now, out);
        }
    }

    /// No lock is left: reports if there is a pair of accesses to show.
    #[cold]
    #[inline(never)]
    fn look(&mut self, event: &Event, var: VarId, write: bool, now: &mut Now<'_>, out: &mut Out) {
        let Some(other) = guard::other_side(var, write, self.paper, now) else { return };
        let row = self.rows.at(var);
        row.state = State::Reported;
        let subject = Subject::Variable(var);
        if !out.wants(Rule::DataRace, &subject, now) {
            return;
        }
        let mine = Access {
            epoch: now.hand_over.epoch(now.thread),
            site: event.site,
            locks: now.held.protecting(write),
            write,
        };
        let step = |access: &Access| StepAt {
            thread: access.epoch.thread,
            site: access.site,
            role: if access.write { Role::Write } else { Role::Read },
            target: now.variable(var).object.map(|_| Target::Variable(var)),
            locks: access.locks,
            note: String::new(),
        };
        let steps = vec![step(&other), step(&mine)];
        let mut notes = guard::notes(var, &other, &mine, now);
        for place in self.places.places(row.places) {
            let did = if place.write { "Write" } else { "Read" };
            notes.push(format!("{did} at {}.", guard::site_name(place.site, now.symbols)));
        }
        if row.flags & FULL != 0 {
            notes.push(format!("Only the first {LONGEST} places are listed."));
        }
        let evidence = Evidence {
            rule: Rule::DataRace,
            subject,
            confidence: Confidence::Medium,
            message:
                "{} is accessed unprotected: several threads use it, one of them writes, and no lock is \
                      held at every access"
                    .to_owned(),
            steps,
            notes,
        };
        out.add(evidence, Some(event), now);
    }
}

impl Detector for Racer {
    fn event(&mut self, event: &Event, now: &mut Now<'_>, out: &mut Out) {
        match event.op {
            Op::Read { var } => self.access(event, var, false, now, out),
            Op::Write { var } => self.access(event, var, true, now, out),
            _ if self.paper => {}
            _ => self.frozen.step(event, now),
        }
    }

    fn stretch(&mut self, events: &[Event], now: &mut Now<'_>, out: &mut Out) {
        for event in events {
            self.event(event, now, out);
        }
    }

    fn vars(&mut self, each: &mut dyn FnMut(&mut dyn VarState)) {
        each(&mut self.rows);
    }
}
