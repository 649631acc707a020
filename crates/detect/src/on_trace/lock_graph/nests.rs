//! What is kept of a trace for the lock graph: every different way in which a thread took a lock while it held others.
//!
//! A **nest** is thread, lock wanted, locks held, and how each of them. It stands for one edge from each lock held to
//! the lock wanted, with the others as gates. Nests that differ in nothing but the time are one, with a list of the
//! **moments** at which it happened. A moment is the thread's time in the hand-over order and what it knew of the
//! others. Of two moments of one nest
//! - with equal time the earlier one is kept: it knew less, so whatever is concurrent with the later one is
//!   concurrent with it;
//! - with equal knowledge the later one is kept: fewer threads know of it, for the same reason.
//!
//! So without hand-over a nest has one moment however often it happens, and nothing is lost.
//! What is bounded: [`NESTS`], [`MOMENTS`] of one nest, [`WORDS`] of knowledge in all. Over a bound a new nest is left
//! out and counted, and a new moment replaces the last one.

use std::collections::BTreeSet;
use std::rc::Rc;

use events::{Lock, LockId, Mode, ObjectId, SiteId, StrId, Symbols, ThreadId};
use rustc_hash::FxHashMap;

use crate::detector::Now;
use crate::shared::held::HeldLock;
use crate::shared::lockset::LockSet;

const NESTS: usize = 1 << 20;
const MOMENTS: usize = 64;
const WORDS: usize = 1 << 26;
/// Ids from here down stand for locks of objects that have died: no two are equal, so none is ever met again.
const DEAD_TOP: u32 = u32::MAX;
const CACHE: usize = 1 << 8;

/// When a nest happened.
pub(super) struct Moment {
    time: u32,
    known: Rc<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    thread: ThreadId,
    wants: LockId,
    /// With the lock wanted, which tells its mode too.
    all: LockSet,
    exclusive: LockSet,
}

/// One way in which a thread took a lock while it held others.
pub(super) struct Nest {
    key: Key,
    /// The thread.
    pub thread: ThreadId,
    /// The lock it took.
    pub wants: LockId,
    /// How.
    pub mode: Mode,
    /// Where, the first time.
    pub site: SiteId,
    /// In which test, the first time.
    pub test: Option<StrId>,
    /// What it held, in the order in which it was taken, and where that was the first time.
    pub held: Vec<HeldLock>,
    /// When.
    pub moments: Vec<Moment>,
    /// Whether moments had to be left out.
    pub thinned: bool,
}

impl Nest {
    /// How it holds a lock.
    pub fn holds(&self, lock: LockId) -> Option<&HeldLock> {
        self.held.iter().find(|held| held.lock == lock)
    }

    /// Whether no gate keeps the two apart: no lock is held by both, unless both hold it in read mode.
    pub fn meets(&self, other: &Nest) -> bool {
        self.held.iter().all(|mine| {
            other.holds(mine.lock).is_none_or(|theirs| theirs.mode == Mode::Read && mine.mode == Mode::Read)
        })
    }

    /// Whether two moments are unordered.
    pub fn concurrent(&self, mine: &Moment, other: &Nest, theirs: &Moment) -> bool {
        let before = |thread: ThreadId, a: &Moment, b: &Moment| {
            b.known.get(thread.index()).is_some_and(|&time| a.time <= time)
        };
        !before(self.thread, mine, theirs) && !before(other.thread, theirs, mine)
    }
}

/// All nests.
pub(super) struct Nests {
    rows: Vec<Option<Nest>>,
    spare: Vec<u32>,
    /// The number of each nest, and the time at which it last happened.
    index: FxHashMap<Key, (u32, u32)>,
    /// The last nests and the time of each, so that one that happens again costs a comparison.
    cache: Box<[Option<(Key, u32)>]>,
    /// For each lock the nests that hold it and those that want it.
    holding: FxHashMap<LockId, BTreeSet<u32>>,
    wanting: FxHashMap<LockId, BTreeSet<u32>>,
    lock_of: FxHashMap<ObjectId, LockId>,
    dead: u32,
    words: usize,
    /// How many nests were left out.
    pub left_out: u64,
}

impl Default for Nests {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            spare: Vec::new(),
            index: FxHashMap::default(),
            cache: vec![None; CACHE].into(),
            holding: FxHashMap::default(),
            wanting: FxHashMap::default(),
            lock_of: FxHashMap::default(),
            dead: 0,
            words: 0,
            left_out: 0,
        }
    }
}

impl Nests {
    /// The thread has just taken `wants` and holds other locks.
    pub fn add(&mut self, wants: LockId, site: SiteId, now: &Now<'_>) {
        let key = Key { thread: now.thread, wants, all: now.held.all, exclusive: now.held.exclusive };
        let time = now.hand_over.time(now.thread);
        let mix =
            key.all.0.wrapping_mul(0x9e37_79b1) ^ (key.thread.0 << 4 ^ wants.0).wrapping_mul(0x85eb_ca6b);
        let slot = mix as usize >> 8 & (CACHE - 1);
        if self.cache[slot] == Some((key, time)) {
            return;
        }
        self.cache[slot] = Some((key, time));
        match self.index.get_mut(&key) {
            // At the same time the thread can only have learnt of others since: the first moment is the better one.
            Some((_, last)) if *last == time => {}
            Some((at, last)) => {
                *last = time;
                if let Some(nest) = &mut self.rows[*at as usize] {
                    happen(nest, time, now, &mut self.words);
                }
            }
            None => self.first(key, site, time, now),
        }
    }

    #[cold]
    fn first(&mut self, key: Key, site: SiteId, time: u32, now: &Now<'_>) {
        if self.index.len() >= NESTS {
            self.left_out += 1;
            return;
        }
        let held: Vec<HeldLock> = now.locks.iter().copied().filter(|held| held.lock != key.wants).collect();
        let mode =
            now.locks.iter().rfind(|held| held.lock == key.wants).map_or(Mode::Exclusive, |held| held.mode);
        let at = self.spare.pop().unwrap_or(self.rows.len() as u32);
        for held in &held {
            self.holding.entry(held.lock).or_default().insert(at);
            self.remember_object(held.lock, now.symbols);
        }
        self.wanting.entry(key.wants).or_default().insert(at);
        self.remember_object(key.wants, now.symbols);
        let moments = Vec::new();
        let mut nest = Nest {
            key,
            thread: key.thread,
            wants: key.wants,
            mode,
            site,
            test: now.test(),
            held,
            moments,
            thinned: false,
        };
        happen(&mut nest, time, now, &mut self.words);
        self.index.insert(key, (at, time));
        if at as usize == self.rows.len() {
            self.rows.push(Some(nest));
        } else {
            self.rows[at as usize] = Some(nest);
        }
    }

    fn remember_object(&mut self, lock: LockId, symbols: &Symbols) {
        if let Lock::Of(object) = *symbols.locks.get(lock) {
            self.lock_of.insert(object, lock);
        }
    }

    /// The lock of an object, if it is in any nest.
    pub fn lock_of(&self, object: ObjectId) -> Option<LockId> {
        self.lock_of.get(&object).copied()
    }

    /// A nest that is there.
    pub fn get(&self, at: u32) -> Option<&Nest> {
        self.rows.get(at as usize).and_then(Option::as_ref)
    }

    /// The nests that hold a lock.
    pub fn holding(&self, lock: LockId) -> impl Iterator<Item = (u32, &Nest)> {
        self.holding.get(&lock).into_iter().flatten().filter_map(|&at| Some((at, self.get(at)?)))
    }

    /// The nests that want a lock.
    pub fn wanting(&self, lock: LockId) -> impl Iterator<Item = (u32, &Nest)> {
        self.wanting.get(&lock).into_iter().flatten().filter_map(|&at| Some((at, self.get(at)?)))
    }

    /// Every lock that is wanted in one nest and held in another, in the order of their ids.
    pub fn inner_locks(&self) -> Vec<LockId> {
        let mut locks: Vec<LockId> =
            self.holding.keys().copied().filter(|lock| self.wanting.contains_key(lock)).collect();
        locks.sort_unstable();
        locks
    }

    /// The object of a lock has died, and the lock's id may come again for another one. What wanted the lock goes;
    /// what held it keeps a nameless lock in its place, which is still a gate for those other locks it held.
    pub fn retire(&mut self, object: ObjectId, lock: LockId) {
        self.lock_of.remove(&object);
        self.cache.fill(None);
        for at in self.wanting.remove(&lock).unwrap_or_default() {
            self.remove(at);
        }
        let dead = LockId(DEAD_TOP - self.dead);
        self.dead += 1;
        for at in self.holding.remove(&lock).unwrap_or_default() {
            let Some(nest) = &mut self.rows[at as usize] else { continue };
            self.index.remove(&nest.key);
            for held in nest.held.iter_mut().filter(|held| held.lock == lock) {
                held.lock = dead;
            }
            if nest.held.iter().all(|held| is_dead(held.lock)) {
                self.remove(at);
            }
        }
    }

    fn remove(&mut self, at: u32) {
        let Some(nest) = self.rows[at as usize].take() else { return };
        self.spare.push(at);
        if self.index.get(&nest.key).is_some_and(|&(number, _)| number == at) {
            self.index.remove(&nest.key);
        }
        for held in &nest.held {
            leave(&mut self.holding, held.lock, at);
        }
        leave(&mut self.wanting, nest.wants, at);
    }
}

fn leave(lists: &mut FxHashMap<LockId, BTreeSet<u32>>, lock: LockId, at: u32) {
    if let Some(list) = lists.get_mut(&lock) {
        list.remove(&at);
        if list.is_empty() {
            lists.remove(&lock);
        }
    }
}

/// Whether the lock's object has died.
pub(super) fn is_dead(lock: LockId) -> bool {
    lock.0 > DEAD_TOP / 2
}

/// A nest happens, at a time of its thread at which it has not happened yet.
fn happen(nest: &mut Nest, time: u32, now: &Now<'_>, words: &mut usize) {
    let known = now.hand_over.known_shared(nest.thread);
    let full = nest.moments.len() >= MOMENTS || *words > WORDS;
    if let Some(last) = nest.moments.last_mut()
        && (full || Rc::ptr_eq(&last.known, &known))
    {
        nest.thinned |= !Rc::ptr_eq(&last.known, &known);
        *last = Moment { time, known };
        return;
    }
    *words += known.len();
    nest.moments.push(Moment { time, known });
}
