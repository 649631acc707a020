//! Events in the binary form.
//!
//! One control byte, and what could not be foretold. A plain access is `1wss vvvv` and then the rest of the variable's
//! number in as many bytes as the frame says: `w` writes, `ss` says how the site was foretold, `vvvv` are the highest
//! bits of the number. Any other operation is `0ooo ooss` and then its operand, unless `ooooo` is one of the codes
//! for an operand that was foretold.
//!
//! What foretells: after a site a thread mostly goes on to one of the two sites it went on to the last times, or
//! stays; a release gives up the lock taken last, a block that ends is the one opened last, and a site mostly uses
//! the lock, block or volatile variable of the last time. Writer and reader keep the same [`Memory`].

use super::varint::{Broken, Bytes, put};
use crate::{Event, Mode, Op, SiteId, Symbols, ThreadId, VarId};

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

/// What writer and reader foretell from.
pub struct Memory {
    thread: u32,
    /// The last site of the current thread.
    site: u32,
    threads: Vec<Thread>,
    places: Vec<Place>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { thread: NONE, site: NONE, threads: Vec::new(), places: Vec::new() }
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

/// How many whole bytes of a variable's number follow the control byte if the largest is `largest`.
pub fn width(largest: u32) -> u8 {
    match largest {
        0..0x1000 => 1,
        0x1000..0x10_0000 => 2,
        0x10_0000..0x1000_0000 => 3,
        _ => 4,
    }
}

/// Appends events. All their ids are known to the memory, and no accessed variable needs more than `width` bytes.
pub fn encode(out: &mut Vec<u8>, events: &[Event], width: u8, memory: &mut Memory) {
    for event in events {
        if memory.thread != event.thread.0 {
            out.push(SWITCH << 2);
            put(out, u64::from(event.thread.0));
            memory.switch(event.thread.0);
        }
        let site = event.site.0;
        let how = memory.foretell(site);
        let access = match event.op {
            Op::Read { var } => Some((0x80, var)),
            Op::Write { var } => Some((0xc0, var)),
            _ => None,
        };
        if let Some((code, VarId(var))) = access {
            let high = (u64::from(var) >> (8 * width)) as u8;
            out.push(code | how << 4 | high);
            if how == TOLD {
                put(out, u64::from(site));
            }
            out.extend_from_slice(&var.to_le_bytes()[..usize::from(width)]);
            continue;
        }
        let (code, operand) = code_of(event.op, site, memory);
        out.push(code << 2 | how);
        if how == TOLD {
            put(out, u64::from(site));
        }
        if let Some(operand) = operand {
            put(out, u64::from(operand));
        }
    }
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

/// Bytes that must follow the last event, so that the decoder can look ahead without asking.
pub const SLACK: usize = 8;

/// Makes `batch` the next `count` events. Every id is checked against the tables. `bytes` has [`SLACK`] bytes too many.
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
    if decoded.is_err() || bytes.at() + SLACK > bytes.len() {
        batch.clear();
        return Err(Broken);
    }
    Ok(())
}

/// The loop that everything waits for: the current thread and its last site stay in registers, and one load brings
/// the control byte and the variable.
fn decode_width<const WIDTH: usize>(
    bytes: &mut Bytes<'_>,
    memory: &mut Memory,
    symbols: &Symbols,
    room: &mut [Event],
) -> Result<(), Broken> {
    let variables = symbols.variables().len() as u64;
    let mask = (1u64 << (8 * WIDTH)) - 1;
    let (mut thread, mut last) = (memory.thread, memory.site);
    for event in room {
        let mut window = bytes.window()?;
        while (window as u8) >> 2 == SWITCH {
            bytes.skip(1);
            let next = bytes.u32()?;
            if next as usize >= memory.threads.len() {
                return Err(Broken);
            }
            memory.site = last;
            memory.switch(next);
            (thread, last) = (next, memory.site);
            window = bytes.window()?;
        }
        let control = window as u8;
        let how = if control >= 0x80 { control >> 4 & 3 } else { control & 3 };
        let mut site = last;
        if how != SAME {
            if how == TOLD {
                site = told(bytes, thread, last, memory)?;
                window = bytes.window()?;
            } else {
                let place = memory.places.get_mut(last as usize).ok_or(Broken)?;
                if how == OTHER_NEXT {
                    (place.next, place.other_next) = (place.other_next, place.next);
                }
                site = place.next;
            }
        }
        if site == NONE {
            return Err(Broken);
        }
        last = site;
        let op = if control >= 0x80 {
            let var = window >> 8 & mask | u64::from(control & 15) << (8 * WIDTH);
            bytes.skip(1 + WIDTH);
            if var >= variables {
                return Err(Broken);
            }
            let var = VarId(var as u32);
            if control & 0x40 == 0 { Op::Read { var } } else { Op::Write { var } }
        } else {
            bytes.skip(1);
            operation(control >> 2, site, bytes, memory, symbols)?
        };
        *event = Event { thread: ThreadId(thread), site: SiteId(site), op };
    }
    memory.site = last;
    Ok(())
}

/// A site that is not foretold. Leaves the bytes where the control byte would be had it been foretold.
#[inline(never)]
fn told(bytes: &mut Bytes<'_>, thread: u32, last: u32, memory: &mut Memory) -> Result<u32, Broken> {
    bytes.skip(1);
    let site = bytes.u32()?;
    bytes.back(1);
    if thread == NONE || site as usize >= memory.places.len() {
        return Err(Broken);
    }
    if let Some(place) = memory.places.get_mut(last as usize) {
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
        FREE => Op::Free { object: id(bytes, symbols.objects().len())? },
        MARK => Op::Mark { text: id(bytes, symbols.strings().len())? },
        _ => return Err(Broken),
    })
}
