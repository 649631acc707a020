//! Events in the binary form.
//!
//! One control byte, and what could not be foretold. Plain accesses come in runs of up to eight: `1nnn ssf0` says that
//! there are `nnn` and one, how the first one's site was foretold (`ss`), and whether those that follow are at the
//! same site (`f` is 0) or each at the site foretold from the one before (`f` is 1). Then come the first site if it
//! had to be told, a byte with a bit for each access that writes, and the variables' numbers in as many bytes each
//! as the frame says. Any other operation is `0ooo ooss` and then its operand, unless `ooooo` is one of the codes for
//! an operand that was foretold.
//!
//! What foretells: after a site a thread mostly goes on to one of the two sites it went on to the last times, or
//! stays; a release gives up the lock taken last, a block that ends is the one opened last, and a site mostly uses
//! the lock, block or volatile variable of the last time. Writer and reader keep the same [`Memory`].

use super::varint::{Broken, Bytes, put};
use crate::{Event, Mode, ObjectId, Op, SiteId, Symbols, ThreadId, VarId};

/// A site that is no site: nothing foretold.
const NONE: u32 = u32::MAX;

/// How the site was foretold.
const NEXT: u8 = 0;
const OTHER_NEXT: u8 = 1;
const SAME: u8 = 2;
const TOLD: u8 = 3;

/// Codes of operations; those from [`ACQUIRE_AGAIN`] on are foretold.
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
/// Not an operation: the thread of the events that follow.
const SWITCH: u8 = 30;

/// What a site was followed by and used the last time.
#[derive(Clone, Copy)]
struct Place {
    next: u32,
    other_next: u32,
    operand: u32,
}

#[derive(Clone)]
struct Thread {
    site: u32,
    held: Vec<u32>,
    open: Vec<u32>,
}

/// A run of plain accesses that is being read.
#[derive(Clone, Copy, Default)]
struct Run {
    left: u8,
    writes: u8,
    follows: bool,
    /// Whether the next access is the first, whose site is known already.
    fresh: bool,
}

/// What writer and reader foretell from.
pub struct Memory {
    thread: u32,
    /// The last site of the current thread.
    site: u32,
    threads: Vec<Thread>,
    places: Vec<Place>,
    /// Where a batch ended in the middle of a run.
    run: Run,
    /// The objects freed by what was decoded last; the reader takes them.
    pub freed: Vec<ObjectId>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            thread: NONE,
            site: NONE,
            threads: Vec::new(),
            places: Vec::new(),
            run: Run::default(),
            freed: Vec::new(),
        }
    }
}

impl Memory {
    /// Makes room for the threads and sites there are.
    pub fn grow(&mut self, symbols: &Symbols) {
        if self.threads.len() < symbols.threads.len() {
            self.threads
                .resize(symbols.threads.len(), Thread { site: NONE, held: Vec::new(), open: Vec::new() });
        }
        if self.places.len() < symbols.sites.len() {
            self.places.resize(symbols.sites.len(), Place { next: NONE, other_next: NONE, operand: NONE });
        }
    }

    fn switch(&mut self, thread: u32) {
        if self.thread != NONE {
            self.threads[self.thread as usize].site = self.site;
        }
        self.thread = thread;
        self.site = self.threads[thread as usize].site;
    }

    fn me(&mut self) -> &mut Thread {
        &mut self.threads[self.thread as usize]
    }

    /// How the next site is foretold; takes it over.
    fn foretell(&mut self, site: u32) -> u8 {
        let code = match self.places.get_mut(self.site as usize) {
            _ if site == self.site => SAME,
            None => TOLD,
            Some(place) if place.next == site => NEXT,
            Some(place) => {
                let known = place.other_next == site;
                (place.next, place.other_next) = (site, place.next);
                if known { OTHER_NEXT } else { TOLD }
            }
        };
        self.site = site;
        code
    }

    /// The operand that this site used the last time; takes the new one over.
    fn operand(&mut self, site: u32, operand: u32) -> bool {
        std::mem::replace(&mut self.places[site as usize].operand, operand) == operand
    }
}

/// How many bytes hold any variable's number up to `largest`.
pub fn width(largest: u32) -> u8 {
    match largest {
        0..0x100 => 1,
        0x100..0x1_0000 => 2,
        0x1_0000..0x100_0000 => 3,
        _ => 4,
    }
}

/// Plain accesses in a run.
const RUN: usize = 8;

/// The variable of a plain access, and whether it writes.
fn access(op: Op) -> Option<(VarId, bool)> {
    match op {
        Op::Read { var } => Some((var, false)),
        Op::Write { var } => Some((var, true)),
        _ => None,
    }
}

/// Appends events. All their ids are known to the memory, and no accessed variable needs more than `width` bytes.
pub fn encode(out: &mut Vec<u8>, events: &[Event], width: u8, memory: &mut Memory) {
    let mut rest = events;
    while let Some(event) = rest.first() {
        if memory.thread != event.thread.0 {
            out.push(SWITCH << 2);
            put(out, u64::from(event.thread.0));
            memory.switch(event.thread.0);
        }
        let site = event.site.0;
        let how = memory.foretell(site);
        let n = if access(event.op).is_some() {
            encode_run(out, rest, how, width, memory)
        } else {
            let (code, operand) = code_of(event.op, site, memory);
            out.push(code << 2 | how);
            if how == TOLD {
                put(out, u64::from(site));
            }
            if let Some(operand) = operand {
                put(out, u64::from(operand));
            }
            1
        };
        rest = &rest[n..];
    }
}

/// Appends the run of plain accesses that `events` begins with; the first one's site is foretold already. How many
/// they are.
fn encode_run(out: &mut Vec<u8>, events: &[Event], how: u8, width: u8, memory: &mut Memory) -> usize {
    let first = &events[0];
    let goes_on = |event: &&Event| event.thread == first.thread && access(event.op).is_some();
    let follow = |memory: &Memory, site: u32| memory.places[site as usize].next;
    let mut run = 1;
    let mut follows = false;
    if let Some(second) = events.get(1).filter(goes_on) {
        follows = second.site != first.site && second.site.0 == follow(memory, first.site.0);
    }
    while run < RUN
        && let Some(event) = events.get(run).filter(goes_on)
        && event.site.0 == if follows { follow(memory, events[run - 1].site.0) } else { first.site.0 }
    {
        run += 1;
    }
    let run_events = &events[..run];
    memory.site = run_events[run - 1].site.0;
    out.push(0x80 | (run as u8 - 1) << 4 | how << 2 | u8::from(follows) << 1);
    if how == TOLD {
        put(out, u64::from(first.site.0));
    }
    let accesses = || run_events.iter().filter_map(|event| access(event.op));
    out.push(accesses().enumerate().fold(0, |bits, (i, (_, write))| bits | u8::from(write) << i));
    for (var, _) in accesses() {
        out.extend_from_slice(&var.0.to_le_bytes()[..usize::from(width)]);
    }
    run
}

/// The code of an operation that is no plain access, and its operand where it has to be told.
fn code_of(op: Op, site: u32, memory: &mut Memory) -> (u8, Option<u32>) {
    let again = |memory: &mut Memory, code: u8, foretold: u8, operand: u32| {
        if memory.operand(site, operand) { (foretold, None) } else { (code, Some(operand)) }
    };
    match op {
        Op::Read { .. } | Op::Write { .. } => unreachable!("plain accesses have control bytes of their own"),
        Op::VolatileRead { var, update: false } => again(memory, VOLATILE_READ, VOLATILE_READ_AGAIN, var.0),
        Op::VolatileRead { var, update: true } => (VOLATILE_READ_UPDATE, Some(var.0)),
        Op::VolatileWrite { var, update: false } => {
            again(memory, VOLATILE_WRITE, VOLATILE_WRITE_AGAIN, var.0)
        }
        Op::VolatileWrite { var, update: true } => (VOLATILE_WRITE_UPDATE, Some(var.0)),
        Op::Acquire { lock, mode: Mode::Exclusive } => {
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
        Op::Acquire { lock, mode: Mode::Read } => (ACQUIRE_READ, Some(lock.0)),
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
        Op::Flow { flow } => (FLOW, Some(flow.0)),
        Op::Freeze { object } => (FREEZE, Some(object.0)),
        Op::Free { object } => (FREE, Some(object.0)),
        Op::Mark { text } => (MARK, Some(text.0)),
    }
}

/// Makes `batch` the next `count` events. Every id is checked against the tables.
pub fn decode(
    bytes: &mut Bytes<'_>,
    count: usize,
    width: u8,
    memory: &mut Memory,
    symbols: &Symbols,
    batch: &mut Vec<Event>,
) -> Result<(), Broken> {
    // What the batch held before is overwritten and not cleared first: that would be a second store for each event.
    batch.resize(count, Event { thread: ThreadId(0), site: SiteId(0), op: Op::Start });
    let room = batch.as_mut_slice();
    let decoded = match width {
        1 => decode_width::<1>(bytes, memory, symbols, room),
        2 => decode_width::<2>(bytes, memory, symbols, room),
        3 => decode_width::<3>(bytes, memory, symbols, room),
        4 => decode_width::<4>(bytes, memory, symbols, room),
        _ => Err(Broken),
    };
    if decoded.is_err() {
        batch.clear();
    }
    decoded
}

/// The loop that everything waits for.
fn decode_width<const WIDTH: usize>(
    bytes: &mut Bytes<'_>,
    memory: &mut Memory,
    symbols: &Symbols,
    room: &mut [Event],
) -> Result<(), Broken> {
    let variables = symbols.variables().len() as u32;
    let mut filled = 0;
    // A run may have been cut by the end of the last batch.
    if memory.run.left > 0 {
        filled = decode_run::<WIDTH>(bytes, memory, variables, room)?;
    }
    while filled < room.len() {
        let control = bytes.byte()?;
        if control >> 2 == SWITCH {
            let next = bytes.u32()?;
            if next as usize >= memory.threads.len() {
                return Err(Broken);
            }
            memory.switch(next);
            continue;
        }
        let is_run = control >= 0x80;
        let how = if is_run { control >> 2 & 3 } else { control & 3 };
        let site = match how {
            SAME => memory.site,
            TOLD => told(bytes, memory)?,
            _ => {
                let place = memory.places.get_mut(memory.site as usize).ok_or(Broken)?;
                if how == OTHER_NEXT {
                    (place.next, place.other_next) = (place.other_next, place.next);
                }
                place.next
            }
        };
        // Only a thread that has no site yet, or a place that nothing has followed yet.
        if site == NONE {
            return Err(Broken);
        }
        memory.site = site;
        if is_run {
            let writes = bytes.byte()?;
            memory.run = Run { left: (control >> 4 & 7) + 1, writes, follows: control & 2 != 0, fresh: true };
            filled += decode_run::<WIDTH>(bytes, memory, variables, &mut room[filled..])?;
        } else {
            let op = operation(control >> 2, site, bytes, memory, symbols)?;
            room[filled] = Event { thread: ThreadId(memory.thread), site: SiteId(site), op };
            filled += 1;
        }
    }
    Ok(())
}

/// Decodes what is left of a run, as far as there is room. How many events that is.
#[inline(always)]
fn decode_run<const WIDTH: usize>(
    bytes: &mut Bytes<'_>,
    memory: &mut Memory,
    variables: u32,
    room: &mut [Event],
) -> Result<usize, Broken> {
    let Run { left, mut writes, follows, fresh } = memory.run;
    let count = usize::from(left).min(room.len());
    let numbers = bytes.slice(count * WIDTH)?;
    let thread = ThreadId(memory.thread);
    let mut site = memory.site;
    let mut known = true;
    for (i, (event, number)) in room.iter_mut().zip(numbers.chunks_exact(WIDTH)).enumerate() {
        if follows && !(fresh && i == 0) {
            site = memory.places.get(site as usize).ok_or(Broken)?.next;
        }
        let mut bytes = [0; 4];
        bytes[..WIDTH].copy_from_slice(number);
        let var = VarId(u32::from_le_bytes(bytes));
        known &= var.0 < variables;
        let op = if writes & 1 == 0 { Op::Read { var } } else { Op::Write { var } };
        writes >>= 1;
        *event = Event { thread, site: SiteId(site), op };
    }
    if !known || site == NONE {
        return Err(Broken);
    }
    memory.site = site;
    memory.run = Run { left: left - count as u8, writes, follows, fresh: false };
    Ok(count)
}

/// A site that is not foretold.
#[inline(never)]
fn told(bytes: &mut Bytes<'_>, memory: &mut Memory) -> Result<u32, Broken> {
    let site = bytes.u32()?;
    if memory.thread == NONE || site as usize >= memory.places.len() {
        return Err(Broken);
    }
    if let Some(place) = memory.places.get_mut(memory.site as usize) {
        (place.next, place.other_next) = (site, place.next);
    }
    Ok(site)
}

fn operation(
    code: u8,
    site: u32,
    bytes: &mut Bytes<'_>,
    memory: &mut Memory,
    symbols: &Symbols,
) -> Result<Op, Broken> {
    fn id<Id: From<u32>>(bytes: &mut Bytes<'_>, len: usize) -> Result<Id, Broken> {
        let id = bytes.u32()?;
        if (id as usize) < len { Ok(Id::from(id)) } else { Err(Broken) }
    }
    let variables = symbols.variables().len();
    let locks = symbols.locks.len();
    // An operand that is foretold was told before at the same site, but perhaps for another kind of operation.
    let last = |memory: &Memory, len: usize| {
        let operand = memory.places[site as usize].operand;
        if (operand as usize) < len { Ok(operand) } else { Err(Broken) }
    };
    Ok(match code {
        VOLATILE_READ | VOLATILE_READ_AGAIN => {
            let var: u32 =
                if code == VOLATILE_READ { id(bytes, variables)? } else { last(memory, variables)? };
            memory.operand(site, var);
            Op::VolatileRead { var: VarId(var), update: false }
        }
        VOLATILE_WRITE | VOLATILE_WRITE_AGAIN => {
            let var: u32 =
                if code == VOLATILE_WRITE { id(bytes, variables)? } else { last(memory, variables)? };
            memory.operand(site, var);
            Op::VolatileWrite { var: VarId(var), update: false }
        }
        VOLATILE_READ_UPDATE => Op::VolatileRead { var: id(bytes, variables)?, update: true },
        VOLATILE_WRITE_UPDATE => Op::VolatileWrite { var: id(bytes, variables)?, update: true },
        ACQUIRE | ACQUIRE_AGAIN => {
            let lock: u32 = if code == ACQUIRE { id(bytes, locks)? } else { last(memory, locks)? };
            memory.operand(site, lock);
            memory.me().held.push(lock);
            Op::Acquire { lock: lock.into(), mode: Mode::Exclusive }
        }
        RELEASE => {
            let lock: u32 = id(bytes, locks)?;
            memory.me().held.retain(|&held| held != lock);
            Op::Release { lock: lock.into(), mode: Mode::Exclusive }
        }
        RELEASE_LAST => {
            let lock = memory.me().held.pop().ok_or(Broken)?;
            Op::Release { lock: lock.into(), mode: Mode::Exclusive }
        }
        ACQUIRE_READ => Op::Acquire { lock: id(bytes, locks)?, mode: Mode::Read },
        RELEASE_READ => Op::Release { lock: id(bytes, locks)?, mode: Mode::Read },
        REENTER => Op::Reenter { lock: id(bytes, locks)? },
        REEXIT => Op::Reexit { lock: id(bytes, locks)? },
        WAIT => Op::Wait { lock: id(bytes, locks)? },
        WOKEN => Op::Woken { lock: id(bytes, locks)? },
        SIGNAL => Op::Signal { on: id(bytes, symbols.channels.len())? },
        OBSERVE => Op::Observe { on: id(bytes, symbols.channels.len())? },
        FORK => Op::Fork { child: id(bytes, symbols.threads.len())? },
        JOIN => Op::Join { child: id(bytes, symbols.threads.len())? },
        START => Op::Start,
        END => Op::End,
        BEGIN | BEGIN_AGAIN => {
            let blocks = symbols.blocks.len();
            let block: u32 = if code == BEGIN { id(bytes, blocks)? } else { last(memory, blocks)? };
            memory.operand(site, block);
            memory.me().open.push(block);
            Op::Begin { block: block.into() }
        }
        FINISH => Op::Finish { block: id(bytes, symbols.blocks.len())? },
        FINISH_LAST => Op::Finish { block: memory.me().open.pop().ok_or(Broken)?.into() },
        FLOW => Op::Flow { flow: id(bytes, symbols.flows.len())? },
        FREEZE => Op::Freeze { object: id(bytes, symbols.objects().len())? },
        FREE => {
            let object = id(bytes, symbols.objects().len())?;
            memory.freed.push(object);
            Op::Free { object }
        }
        MARK => Op::Mark { text: id(bytes, symbols.strings().len())? },
        _ => return Err(Broken),
    })
}
