//! Events in the binary form.
//!
//! A record is one operation and up to eight plain accesses of the same thread after it; what could be foretold is not
//! in it. Two control bytes come first:
//! ```text
//! ooooo ss t    the operation, how its site was foretold (ss), whether the thread is told (t)
//! nnnn ss f 0   how many accesses, how the first one's site was foretold, and whether those that follow are at the
//!               same site (f = 0) or each at the site foretold from the one before (f = 1)
//! ```
//! Then, each where it is needed: the thread, the operation's site, its operand, the first access's site, a byte with a
//! bit for each access that writes, the accessed variables. Threads, sites and variables take as many bytes each as the
//! frame says; an operand takes as many as it needs.
//!
//! What foretells: after a site a thread mostly goes on to one of the two sites it went on to the last times, or
//! stays; a release gives up the lock taken last, a block that ends is the one opened last, and a site mostly uses
//! the lock, block or volatile variable of the last time. Writer and reader keep the same [`Memory`].
//!
//! Why records and fixed widths: how many accesses there are, where they are and which of them write comes in no order
//! that a processor could foretell, so the reader has no branch for any of it. It always writes eight accesses
//! and counts those that are real.

use super::varint::{Broken, Bytes, put};
use crate::stretch::Room;
use crate::{Access, Event, FlowId, Mode, ObjectId, Op, SiteId, Symbols, ThreadId, VarId};

/// How the site was foretold. The odd ones change what is foretold next.
const NEXT: u8 = 0;
const OTHER_NEXT: u8 = 1;
const SAME: u8 = 2;
const TOLD: u8 = 3;

/// Codes of operations; those from [`ACQUIRE_AGAIN`] to [`VOLATILE_WRITE_AGAIN`] are foretold.
const VOLATILE_READ: u8 = 0;
const VOLATILE_READ_UPDATE: u8 = 1;
const VOLATILE_WRITE: u8 = 2;
const VOLATILE_WRITE_UPDATE: u8 = 3;
const ACQUIRE: u8 = 4;
const ACQUIRE_READ: u8 = 5;
const RELEASE: u8 = 6;
const RELEASE_READ: u8 = 7;
const REENTER: u8 = 8;
const REEXIT: u8 = 9;
const WAIT: u8 = 10;
const WOKEN: u8 = 11;
const SIGNAL: u8 = 12;
const OBSERVE: u8 = 13;
const FORK: u8 = 14;
const JOIN: u8 = 15;
const START: u8 = 16;
const END: u8 = 17;
const BEGIN: u8 = 18;
const FINISH: u8 = 19;
const FLOW: u8 = 20;
const FREEZE: u8 = 21;
const FREE: u8 = 22;
const MARK: u8 = 23;
const ACQUIRE_AGAIN: u8 = 24;
const RELEASE_LAST: u8 = 25;
const BEGIN_AGAIN: u8 = 26;
const FINISH_LAST: u8 = 27;
const VOLATILE_READ_AGAIN: u8 = 28;
const VOLATILE_WRITE_AGAIN: u8 = 29;
/// No operation: nothing but accesses.
const PLAIN: u8 = 30;
/// The operand is twice the lock's number, and one more in read mode.
const ACQUIRE_TRY: u8 = 31;

/// Plain accesses in a record.
const RUN: usize = 8;

/// The reader writes so many at once, or twice as many.
const HALF: usize = RUN / 2;

/// No record is longer: two control bytes, three numbers of four bytes, one of five, and the accesses.
const LONGEST: usize = 2 + 3 * 4 + 5 + 1 + RUN * 4;

/// How many bytes must follow the last record, so that the reader need not ask at every step.
pub const PADDING: usize = 64;

const _: () = assert!(LONGEST <= PADDING);

/// The events that are written but do not count after the last one that does.
pub const SLACK: usize = RUN + 1;

/// What a site was followed by and used the last time. A site's row is at its number and one; row 0 is for threads that
/// have been nowhere yet, so 0 in `next` means that nothing is foretold.
#[derive(Clone, Copy, Default)]
struct Place {
    next: u32,
    other_next: u32,
    operand: u32,
}

impl Place {
    /// The row of the next site and what this row becomes, without a branch.
    #[inline(always)]
    fn follow(self, how: u8, same: u32, told: u32) -> (u32, Place) {
        let pick = |second: bool, a: u32, b: u32| {
            let mask = u32::from(second).wrapping_neg();
            a & !mask | b & mask
        };
        let (odd, high) = (how & 1 != 0, how & 2 != 0);
        let site = pick(high, pick(odd, self.next, self.other_next), pick(odd, same, told));
        let place = Place {
            next: pick(odd, self.next, site),
            other_next: pick(odd, self.other_next, self.next),
            ..self
        };
        (site, place)
    }
}

#[derive(Clone, Default)]
struct Thread {
    place: u32,
    held: Vec<u32>,
    open: Vec<u32>,
}

/// No thread has this number.
const NOBODY: u32 = u32::MAX;

/// What writer and reader foretell from.
pub struct Memory {
    thread: u32,
    /// The row of the last site of the current thread.
    place: u32,
    threads: Vec<Thread>,
    places: Vec<Place>,
    /// The objects freed by what was decoded last; the reader takes them.
    pub freed: Vec<ObjectId>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            thread: NOBODY,
            place: 0,
            threads: Vec::new(),
            places: vec![Place::default()],
            freed: Vec::new(),
        }
    }
}

impl Memory {
    /// Makes room for the threads and sites there are.
    pub fn grow(&mut self, symbols: &Symbols) {
        if self.threads.len() < symbols.threads.len() {
            self.threads.resize(symbols.threads.len(), Thread::default());
        }
        if self.places.len() <= symbols.sites.len() {
            self.places.resize(symbols.sites.len() + 1, Place::default());
        }
    }

    fn switch(&mut self, thread: u32) {
        if self.thread != NOBODY {
            self.threads[self.thread as usize].place = self.place;
        }
        self.thread = thread;
        self.place = self.threads[thread as usize].place;
    }

    fn me(&mut self) -> &mut Thread {
        &mut self.threads[self.thread as usize]
    }

    /// How the next site is foretold; takes it over.
    fn foretell(&mut self, site: SiteId) -> u8 {
        let next = site.0 + 1;
        let place = self.places[self.place as usize];
        let how = match next {
            _ if next == self.place => SAME,
            _ if next == place.next => NEXT,
            _ if next == place.other_next => OTHER_NEXT,
            _ => TOLD,
        };
        self.go_on(how, next);
        how
    }

    /// Goes on to the next site.
    fn go_on(&mut self, how: u8, told: u32) {
        let place = &mut self.places[self.place as usize];
        (self.place, *place) = place.follow(how, self.place, told);
    }

    /// Whether the last site used this operand the last time; takes it over.
    fn operand(&mut self, operand: u32) -> bool {
        // One more, since 0 stands for none.
        let operand = operand.wrapping_add(1);
        std::mem::replace(&mut self.places[self.place as usize].operand, operand) == operand
    }
}

/// In how many bytes the numbers of a frame are written.
#[derive(Clone, Copy)]
pub struct Widths {
    /// Those of accessed variables.
    pub variable: u8,
    /// Those of sites.
    pub site: u8,
    /// Those of threads.
    pub thread: u8,
}

impl Widths {
    /// What these events need.
    pub fn of(events: &[Event]) -> Self {
        let (mut variable, mut site, mut thread) = (0, 0, 0);
        for event in events {
            if let Some((var, _)) = event.op.access() {
                variable = var.0.max(variable);
            }
            site = event.site.0.max(site);
            thread = event.thread.0.max(thread);
        }
        Self { variable: width(variable), site: width(site), thread: width(thread) }
    }
}

/// How many bytes hold any number up to `largest`.
fn width(largest: u32) -> u8 {
    match largest {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}

fn put_number(out: &mut Vec<u8>, number: u32, width: u8) {
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width)]);
}

/// Appends events. All their ids are known to the memory and fit the widths.
pub fn encode(out: &mut Vec<u8>, events: &[Event], widths: Widths, memory: &mut Memory) {
    let mut rest = events;
    while let Some(first) = rest.first() {
        let switches = memory.thread != first.thread.0;
        if switches {
            memory.switch(first.thread.0);
        }
        let control = out.len();
        out.extend([0; 2]);
        if switches {
            put_number(out, first.thread.0, widths.thread);
        }
        let (mut code, mut how, mut taken) = (PLAIN, SAME, 0);
        if !first.op.is_access() {
            taken = 1;
            how = memory.foretell(first.site);
            if how == TOLD {
                put_number(out, first.site.0, widths.site);
            }
            let operand;
            (code, operand) = code_of(first.op, memory);
            if let Some(operand) = operand {
                put(out, u64::from(operand));
            }
        }
        out[control] = code << 3 | how << 1 | u8::from(switches);
        let (run, how, follows) = encode_run(out, &rest[taken..], first.thread, widths, memory);
        out[control + 1] = (run as u8) << 4 | how << 2 | u8::from(follows) << 1;
        rest = &rest[taken + run..];
    }
}

/// Appends the run of plain accesses that `events` begins with, perhaps none. How many they are, how the first one's
/// site was foretold, and whether each other one's follows from the one before.
fn encode_run(
    out: &mut Vec<u8>,
    events: &[Event],
    thread: ThreadId,
    widths: Widths,
    memory: &mut Memory,
) -> (usize, u8, bool) {
    let goes_on = |event: &&Event| event.thread == thread && event.op.is_access();
    let Some(first) = events.first().filter(goes_on) else { return (0, SAME, false) };
    let how = memory.foretell(first.site);
    let follow = |memory: &Memory, site: SiteId| memory.places[site.index() + 1].next;
    let mut run = 1;
    let mut follows = false;
    if let Some(second) = events.get(1).filter(goes_on) {
        follows = second.site != first.site && second.site.0 + 1 == follow(memory, first.site);
    }
    while run < RUN
        && let Some(event) = events.get(run).filter(goes_on)
        && event.site.0 + 1 == if follows { follow(memory, events[run - 1].site) } else { first.site.0 + 1 }
    {
        run += 1;
    }
    let events = &events[..run];
    memory.place = events[run - 1].site.0 + 1;
    if how == TOLD {
        put_number(out, first.site.0, widths.site);
    }
    let accesses = || events.iter().filter_map(|event| event.op.access());
    out.push(accesses().enumerate().fold(0, |bits, (i, (_, write))| bits | u8::from(write) << i));
    for (var, _) in accesses() {
        put_number(out, var.0, widths.variable);
    }
    (run, how, follows)
}

/// The code of an operation that is no plain access, and its operand where it has to be told.
fn code_of(op: Op, memory: &mut Memory) -> (u8, Option<u32>) {
    let again = |memory: &mut Memory, code: u8, foretold: u8, operand: u32| {
        if memory.operand(operand) { (foretold, None) } else { (code, Some(operand)) }
    };
    match op {
        Op::Read { .. } | Op::Write { .. } => (PLAIN, None),
        Op::VolatileRead { var, update: false } => again(memory, VOLATILE_READ, VOLATILE_READ_AGAIN, var.0),
        Op::VolatileRead { var, update: true } => (VOLATILE_READ_UPDATE, Some(var.0)),
        Op::VolatileWrite { var, update: false } => {
            again(memory, VOLATILE_WRITE, VOLATILE_WRITE_AGAIN, var.0)
        }
        Op::VolatileWrite { var, update: true } => (VOLATILE_WRITE_UPDATE, Some(var.0)),
        Op::Acquire { lock, mode: Mode::Exclusive, tries: false } => {
            memory.me().held.push(lock.0);
            again(memory, ACQUIRE, ACQUIRE_AGAIN, lock.0)
        }
        Op::Release { lock, mode: Mode::Exclusive } => {
            if memory.me().held.last() == Some(&lock.0) {
                memory.me().held.pop();
                (RELEASE_LAST, None)
            } else {
                memory.me().held.retain(|&held| held != lock.0);
                (RELEASE, Some(lock.0))
            }
        }
        Op::Acquire { lock, mode: Mode::Read, tries: false } => (ACQUIRE_READ, Some(lock.0)),
        Op::Acquire { lock, mode, tries: true } => {
            if mode == Mode::Exclusive {
                memory.me().held.push(lock.0);
            }
            (ACQUIRE_TRY, Some(lock.0 << 1 | u32::from(mode == Mode::Read)))
        }
        Op::Release { lock, mode: Mode::Read } => (RELEASE_READ, Some(lock.0)),
        Op::Reenter { lock } => (REENTER, Some(lock.0)),
        Op::Reexit { lock } => (REEXIT, Some(lock.0)),
        Op::Wait { lock } => (WAIT, Some(lock.0)),
        Op::Woken { lock } => (WOKEN, Some(lock.0)),
        Op::Signal { on } => (SIGNAL, Some(on.0)),
        Op::Observe { on } => (OBSERVE, Some(on.0)),
        Op::Fork { child } => (FORK, Some(child.0)),
        Op::Join { child } => (JOIN, Some(child.0)),
        Op::Start => (START, None),
        Op::End => (END, None),
        Op::Begin { block } => {
            memory.me().open.push(block.0);
            again(memory, BEGIN, BEGIN_AGAIN, block.0)
        }
        Op::Finish { block } => {
            if memory.me().open.last() == Some(&block.0) {
                memory.me().open.pop();
                (FINISH_LAST, None)
            } else {
                (FINISH, Some(block.0))
            }
        }
        Op::Flow { flow, used } => (FLOW, Some(flow.0 << 1 | u32::from(used))),
        Op::Freeze { object } => (FREEZE, Some(object.0)),
        Op::Free { object } => (FREE, Some(object.0)),
        Op::Mark { text } => (MARK, Some(text.0)),
    }
}

/// Decodes records until at least `wanted` events are there, and says how many there are. Every id is checked against
/// the tables. `bytes` goes on for [`PADDING`] bytes after the last record, and there is room for [`SLACK`] more events
/// than wanted.
pub fn decode(
    bytes: &[u8],
    at: &mut usize,
    widths: Widths,
    memory: &mut Memory,
    symbols: &Symbols,
    room: &mut Room<'_>,
    wanted: usize,
) -> Result<usize, Broken> {
    match widths.variable {
        1 => decode_width::<1>(bytes, at, widths, memory, symbols, room, wanted),
        2 => decode_width::<2>(bytes, at, widths, memory, symbols, room, wanted),
        3 => decode_width::<3>(bytes, at, widths, memory, symbols, room, wanted),
        4 => decode_width::<4>(bytes, at, widths, memory, symbols, room, wanted),
        _ => Err(Broken),
    }
}

/// A number of so many bytes as the mask says.
#[inline(always)]
fn number(record: &[u8; PADDING], at: usize, mask: u32) -> u32 {
    // A record is shorter than half of the padding up to its last variables, so this changes nothing.
    let at = at & (PADDING / 2 - 1);
    u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]) & mask
}

/// The loop that everything waits for.
fn decode_width<const WIDTH: usize>(
    bytes: &[u8],
    next: &mut usize,
    widths: Widths,
    memory: &mut Memory,
    symbols: &Symbols,
    room: &mut Room<'_>,
    wanted: usize,
) -> Result<usize, Broken> {
    let sites =
        Sites { mask: mask(widths.site), width: usize::from(widths.site), count: symbols.sites.len() as u32 };
    let (thread_mask, thread_width) = (mask(widths.thread), usize::from(widths.thread));
    let mut events = 0;
    while events < wanted {
        let record = bytes.get(*next..).and_then(|rest| rest.first_chunk::<PADDING>()).ok_or(Broken)?;
        let (operation, run) = (record[0], record[1]);
        let mut at = 2;
        if operation & 1 != 0 {
            let thread = number(record, at, thread_mask);
            at += thread_width;
            if thread as usize >= memory.threads.len() {
                return Err(Broken);
            }
            memory.switch(thread);
        }
        let thread = ThreadId(memory.thread);
        let mut place = memory.place;
        // What is wrong is found out at the end, in one go.
        let mut wrong = thread.0 == NOBODY;
        let code = operation >> 3;
        let mut event = Event { thread, site: SiteId(0), op: Op::Read { var: VarId(0) } };
        if code != PLAIN {
            place = sites.decode(operation >> 1 & 3, place, record, &mut at, &mut memory.places);
            wrong |= place == 0;
            memory.place = place;
            event.site = SiteId(place.wrapping_sub(1));
            event.op = decode_operation(code, place, record, &mut at, memory, symbols)?;
            events += 1;
        }
        let count = usize::from(run >> 4);
        if count > 0 {
            place = sites.decode(run >> 2 & 3, place, record, &mut at, &mut memory.places);
            wrong |= (place == 0) | (count > RUN);
            let at_writes = at % (PADDING / 2);
            let numbers = record.get(at_writes + 1..).and_then(<[u8]>::first_chunk).ok_or(Broken)?;
            let accesses = room.next().ok_or(Broken)?;
            let site = SiteId(place.wrapping_sub(1));
            decode_half::<WIDTH, 0>(site, record[at_writes], numbers, accesses);
            if count > HALF {
                decode_half::<WIDTH, HALF>(site, record[at_writes], numbers, accesses);
            }
            if run & 2 != 0 {
                for access in accesses.iter_mut().take(count).skip(1) {
                    place = memory.places.get(place as usize).ok_or(Broken)?.next;
                    wrong |= place == 0;
                    *access = Access::new(access.var, SiteId(place.wrapping_sub(1)), access.writes());
                }
            }
            memory.place = place;
            events += count;
            at += 1 + count * WIDTH;
        }
        if wrong || !room.take(event, count) {
            return Err(Broken);
        }
        *next += at;
    }
    // All at once at the end costs less than one by one.
    let known = room.largest_variable().is_none_or(|var| var.index() < symbols.variables().len());
    if known { Ok(events) } else { Err(Broken) }
}

/// Writes half a run of accesses at one site.
#[inline(always)]
fn decode_half<const WIDTH: usize, const FROM: usize>(
    site: SiteId,
    writes: u8,
    numbers: &[u8; RUN * 4],
    room: &mut [Access; RUN],
) {
    for i in FROM..FROM + HALF {
        let bytes = [0, 1, 2, 3].map(|k| if k < WIDTH { numbers[i * WIDTH + k] } else { 0 });
        room[i] = Access::new(VarId(u32::from_le_bytes(bytes)), site, writes >> i & 1 != 0);
    }
}

fn mask(width: u8) -> u32 {
    u32::MAX >> (32 - 8 * u32::from(width.clamp(1, 4)))
}

/// How sites are told.
#[derive(Clone, Copy)]
struct Sites {
    mask: u32,
    width: usize,
    count: u32,
}

impl Sites {
    /// The row of the site that comes after the one of row `place`; 0 if there is none.
    #[inline(always)]
    fn decode(
        self,
        how: u8,
        place: u32,
        record: &[u8; PADDING],
        at: &mut usize,
        places: &mut [Place],
    ) -> u32 {
        if how == NEXT {
            return places.get(place as usize).map_or(0, |place| place.next);
        }
        let told = number(record, *at, self.mask);
        *at += if how == TOLD { self.width } else { 0 };
        let told = if told < self.count { told + 1 } else { 0 };
        let Some(row) = places.get_mut(place as usize) else { return 0 };
        let (next, changed) = row.follow(how, place, told);
        *row = changed;
        next
    }
}

/// The frequent operations; the others are [`rare_operation`]'s.
#[inline(always)]
fn decode_operation(
    code: u8,
    place: u32,
    record: &[u8; PADDING],
    at: &mut usize,
    memory: &mut Memory,
    symbols: &Symbols,
) -> Result<Op, Broken> {
    let Some(me) = memory.threads.get_mut(memory.thread as usize) else { return Err(Broken) };
    let Some(place) = memory.places.get_mut(place as usize) else { return Err(Broken) };
    match code {
        ACQUIRE | ACQUIRE_AGAIN => {
            let lock = if code == ACQUIRE { told(record, at)? } else { place.operand.wrapping_sub(1) };
            if lock as usize >= symbols.locks.len() {
                return Err(Broken);
            }
            place.operand = lock + 1;
            me.held.push(lock);
            Ok(Op::Acquire { lock: lock.into(), mode: Mode::Exclusive, tries: false })
        }
        RELEASE_LAST => {
            let lock = me.held.pop().ok_or(Broken)?;
            Ok(Op::Release { lock: lock.into(), mode: Mode::Exclusive })
        }
        BEGIN | BEGIN_AGAIN => {
            let block = if code == BEGIN { told(record, at)? } else { place.operand.wrapping_sub(1) };
            if block as usize >= symbols.blocks.len() {
                return Err(Broken);
            }
            place.operand = block + 1;
            me.open.push(block);
            Ok(Op::Begin { block: block.into() })
        }
        FINISH_LAST => Ok(Op::Finish { block: me.open.pop().ok_or(Broken)?.into() }),
        _ => rare_operation(code, record, at, memory, symbols),
    }
}

/// An operand of the record.
#[inline(always)]
fn told(record: &[u8; PADDING], at: &mut usize) -> Result<u32, Broken> {
    match record.get(*at) {
        Some(&byte) if byte < 0x80 => {
            *at += 1;
            Ok(u32::from(byte))
        }
        _ => told_long(record, at),
    }
}

#[inline(never)]
fn told_long(record: &[u8; PADDING], at: &mut usize) -> Result<u32, Broken> {
    let mut bytes = Bytes::new(record, *at);
    let operand = bytes.u32()?;
    *at = bytes.at();
    Ok(operand)
}

#[inline(never)]
fn rare_operation(
    code: u8,
    record: &[u8; PADDING],
    at: &mut usize,
    memory: &mut Memory,
    symbols: &Symbols,
) -> Result<Op, Broken> {
    // An operand that is told.
    let told = |at: &mut usize, len: usize| {
        let id = told(record, at)?;
        if (id as usize) < len { Ok(id) } else { Err(Broken) }
    };
    // One that the site used the last time, but perhaps for another kind of operation.
    let last = |memory: &Memory, len: usize| {
        let operand = memory.places.get(memory.place as usize).map_or(0, |place| place.operand);
        let id = operand.wrapping_sub(1);
        if (id as usize) < len { Ok(id) } else { Err(Broken) }
    };
    let variables = symbols.variables().len();
    let locks = symbols.locks.len();
    Ok(match code {
        VOLATILE_READ | VOLATILE_READ_AGAIN => {
            let var = if code == VOLATILE_READ { told(at, variables)? } else { last(memory, variables)? };
            memory.operand(var);
            Op::VolatileRead { var: VarId(var), update: false }
        }
        VOLATILE_WRITE | VOLATILE_WRITE_AGAIN => {
            let var = if code == VOLATILE_WRITE { told(at, variables)? } else { last(memory, variables)? };
            memory.operand(var);
            Op::VolatileWrite { var: VarId(var), update: false }
        }
        VOLATILE_READ_UPDATE => Op::VolatileRead { var: told(at, variables)?.into(), update: true },
        VOLATILE_WRITE_UPDATE => Op::VolatileWrite { var: told(at, variables)?.into(), update: true },
        RELEASE => {
            let lock = told(at, locks)?;
            memory.me().held.retain(|&held| held != lock);
            Op::Release { lock: lock.into(), mode: Mode::Exclusive }
        }
        ACQUIRE_READ => Op::Acquire { lock: told(at, locks)?.into(), mode: Mode::Read, tries: false },
        ACQUIRE_TRY => {
            let both = told(at, locks.saturating_mul(2))?;
            let (lock, mode) = (both >> 1, if both & 1 == 0 { Mode::Exclusive } else { Mode::Read });
            if mode == Mode::Exclusive {
                memory.me().held.push(lock);
            }
            Op::Acquire { lock: lock.into(), mode, tries: true }
        }
        RELEASE_READ => Op::Release { lock: told(at, locks)?.into(), mode: Mode::Read },
        REENTER => Op::Reenter { lock: told(at, locks)?.into() },
        REEXIT => Op::Reexit { lock: told(at, locks)?.into() },
        WAIT => Op::Wait { lock: told(at, locks)?.into() },
        WOKEN => Op::Woken { lock: told(at, locks)?.into() },
        SIGNAL => Op::Signal { on: told(at, symbols.channels.len())?.into() },
        OBSERVE => Op::Observe { on: told(at, symbols.channels.len())?.into() },
        FORK => Op::Fork { child: told(at, symbols.threads.len())?.into() },
        JOIN => Op::Join { child: told(at, symbols.threads.len())?.into() },
        START => Op::Start,
        END => Op::End,
        FINISH => Op::Finish { block: told(at, symbols.blocks.len())?.into() },
        FLOW => {
            let twice = told(at, symbols.flows.len().saturating_mul(2))?;
            Op::Flow { flow: FlowId(twice >> 1), used: twice & 1 != 0 }
        }
        FREEZE => Op::Freeze { object: told(at, symbols.objects().len())?.into() },
        FREE => {
            let object = ObjectId(told(at, symbols.objects().len())?);
            memory.freed.push(object);
            Op::Free { object }
        }
        MARK => Op::Mark { text: told(at, symbols.strings().len())?.into() },
        _ => return Err(Broken),
    })
}
