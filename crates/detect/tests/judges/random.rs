//! Random well-formed traces: what the judges and the detectors are compared on.

#![allow(dead_code, reason = "each judge uses its own part of this")]

use events::{
    Block, Channel, Event, Field, Flow, FlowId, FlowKind, Lock, Mode, Object, Op, Site, SiteId, Slot,
    Symbols, ThreadId, VarId, Variable,
};

/// A small generator of pseudo-random numbers (xorshift64*): seeded, so that a failing trace can be made again.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() >> 32) * n as u64) >> 32) as usize
    }

    /// True with a probability in percent.
    pub fn percent(&mut self, p: u32) -> bool {
        self.below(100) < p as usize
    }
}

/// What a random trace looks like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub events: usize,
    pub threads: usize,
    pub locks: usize,
    pub vars: usize,
    pub volatiles: usize,
    pub channels: usize,
    /// How often a free thread takes the variable's own lock before it accesses it, in percent.
    pub disciplined: u32,
    /// How often an access writes, in percent.
    pub writes: u32,
    /// How often a step is an operation on a lock, in percent.
    pub locking: u32,
    /// Whether locks are sometimes taken in read mode and waited on.
    pub fancy_locks: bool,
    /// How often a step opens or closes a block, in percent.
    pub blocks: u32,
    /// Whether threads are forked and joined in the middle instead of all running from the start.
    pub forks: bool,
    /// How many blocks may be open in a thread at once.
    pub nesting: usize,
    /// How often a step reads or uses a watched value, in percent.
    pub flows: u32,
    /// Whether variables are fields of objects, three of each, instead of static ones.
    pub objects: bool,
}

impl Shape {
    pub const SMALL: Shape = Shape {
        events: 40,
        threads: 3,
        locks: 2,
        vars: 3,
        volatiles: 1,
        channels: 1,
        disciplined: 60,
        writes: 40,
        locking: 25,
        fancy_locks: true,
        blocks: 0,
        forks: true,
        nesting: 1,
        flows: 0,
        objects: false,
    };
}

#[derive(Clone, Default)]
struct Thread {
    started: bool,
    ended: bool,
    joined: bool,
    held: Vec<(usize, Mode)>,
    waiting: Option<usize>,
    open: Vec<usize>,
}

/// A well-formed trace of the given shape. The variables are `x0, x1, …`; the first `volatiles` ids after them are
/// volatile. Every event has a site of its own number.
pub fn trace(random: &mut Random, shape: &Shape) -> (Symbols, Vec<Event>) {
    let mut symbols = Symbols::new();
    for t in 0..shape.threads {
        symbols.thread(&format!("T{t}"));
    }
    for v in 0..shape.vars + shape.volatiles {
        let name = symbols.string(&format!("x{v}"));
        let class = (shape.objects && v < shape.vars).then(|| symbols.class("C"));
        let field = symbols.fields.intern(Field { class, name, is_final: false });
        let object = class.map(|class| symbols.object(Object { class, label: v as u64 / 3 + 1 }));
        symbols.variable(Variable { object, slot: Slot::Field(field) });
    }
    for l in 0..shape.locks {
        let name = symbols.string(&format!("m{l}"));
        symbols.locks.intern(Lock::Named(name));
    }
    for c in 0..shape.channels {
        let name = symbols.string(&format!("c{c}"));
        symbols.channels.intern(Channel { name });
    }
    for b in 0..4 {
        let name = symbols.string(&format!("B{b}"));
        symbols.blocks.intern(Block { name });
    }
    for (f, kind) in (0..).zip(FlowKind::ALL) {
        let mut site = |line| symbols.sites.push(Site { line, ..Site::NOWHERE });
        let (from, to) = (site(1000 + 2 * f), site(1001 + 2 * f));
        symbols.flows.push(Flow { from, to, kind });
    }
    let mut events: Vec<Event> = Vec::new();
    let mut threads = vec![Thread::default(); shape.threads];
    threads[0].started = true;
    if !shape.forks {
        threads.iter_mut().for_each(|t| t.started = true);
    }
    let mut fuel = shape.events * 20;
    while events.len() < shape.events && fuel > 0 {
        fuel -= 1;
        let me = random.below(shape.threads);
        if let Some(op) = step(random, shape, &mut threads, me) {
            for op in op {
                let site = Site { line: events.len() as i32 + 1, ..Site::NOWHERE };
                let site = symbols.sites.push(site);
                events.push(Event { thread: ThreadId(me as u32), site, op });
            }
        }
    }
    // Close what is open, so that every block and lock has an end.
    for me in 0..shape.threads {
        let thread = threads[me].clone();
        let mut ops = Vec::new();
        if thread.waiting.is_some() {
            continue;
        }
        while let Some(b) = threads[me].open.pop() {
            ops.push(Op::Finish { block: (b as u32).into() });
        }
        while let Some((l, mode)) = threads[me].held.pop() {
            ops.push(Op::Release { lock: (l as u32).into(), mode });
        }
        for op in ops {
            let site = Site { line: events.len() as i32 + 1, ..Site::NOWHERE };
            let site: SiteId = symbols.sites.push(site);
            events.push(Event { thread: ThreadId(me as u32), site, op });
        }
    }
    (symbols, events)
}

fn free_for(threads: &[Thread], lock: usize, mode: Mode) -> bool {
    threads.iter().all(|t| t.held.iter().all(|&(l, m)| l != lock || (m == Mode::Read && mode == Mode::Read)))
}

/// One step of thread `me`: the operations it makes in a row, if it can make any.
fn step(random: &mut Random, shape: &Shape, threads: &mut [Thread], me: usize) -> Option<Vec<Op>> {
    if !threads[me].started || threads[me].ended {
        return None;
    }
    if let Some(lock) = threads[me].waiting {
        if !free_for(threads, lock, Mode::Exclusive) {
            return None;
        }
        threads[me].waiting = None;
        threads[me].held.push((lock, Mode::Exclusive));
        return Some(vec![Op::Woken { lock: (lock as u32).into() }]);
    }
    if shape.forks && random.percent(12) {
        let other = random.below(threads.len());
        let idle = threads[me].held.is_empty() && threads[me].open.is_empty();
        if other != me && !threads[other].started {
            threads[other].started = true;
            return Some(vec![Op::Fork { child: ThreadId(other as u32) }]);
        }
        if other != me && threads[other].ended && !threads[other].joined {
            threads[other].joined = true;
            return Some(vec![Op::Join { child: ThreadId(other as u32) }]);
        }
        if me != 0 && idle && random.percent(30) {
            threads[me].ended = true;
            return Some(vec![Op::End]);
        }
    }
    if random.percent(shape.blocks) {
        if threads[me].open.len() < shape.nesting && random.percent(50) {
            let block = random.below(4);
            threads[me].open.push(block);
            return Some(vec![Op::Begin { block: (block as u32).into() }]);
        }
        let block = threads[me].open.pop()?;
        return Some(vec![Op::Finish { block: (block as u32).into() }]);
    }
    if shape.flows > 0 && random.percent(shape.flows) {
        return flow(random, shape, threads, me);
    }
    if shape.channels > 0 && random.percent(4) {
        let on = (random.below(shape.channels) as u32).into();
        return Some(vec![if random.percent(50) { Op::Signal { on } } else { Op::Observe { on } }]);
    }
    if shape.volatiles > 0 && random.percent(6) {
        let var = VarId((shape.vars + random.below(shape.volatiles)) as u32);
        return Some(match random.below(4) {
            0 => vec![Op::VolatileRead { var, update: false }],
            1 => vec![Op::VolatileWrite { var, update: false }],
            2 => vec![Op::VolatileRead { var, update: true }, Op::VolatileWrite { var, update: true }],
            _ => vec![Op::VolatileRead { var, update: true }],
        });
    }
    if shape.locks > 0 && random.percent(shape.locking) {
        if !threads[me].held.is_empty() && random.percent(60) {
            let at = random.below(threads[me].held.len());
            let (lock, mode) = threads[me].held[at];
            threads[me].held.remove(at);
            if shape.fancy_locks && mode == Mode::Exclusive && random.percent(10) {
                threads[me].waiting = Some(lock);
                return Some(vec![Op::Wait { lock: (lock as u32).into() }]);
            }
            return Some(vec![Op::Release { lock: (lock as u32).into(), mode }]);
        }
        let lock = random.below(shape.locks);
        let mode = if shape.fancy_locks && random.percent(20) { Mode::Read } else { Mode::Exclusive };
        if threads[me].held.iter().any(|&(l, _)| l == lock) || !free_for(threads, lock, mode) {
            return None;
        }
        threads[me].held.push((lock, mode));
        let tries = shape.fancy_locks && random.percent(20);
        return Some(vec![Op::Acquire { lock: (lock as u32).into(), mode, tries }]);
    }
    let v = random.below(shape.vars);
    let var = VarId(v as u32);
    let access =
        |random: &mut Random| if random.percent(shape.writes) { Op::Write { var } } else { Op::Read { var } };
    if shape.locks > 0 && random.percent(shape.disciplined) {
        let lock = v % shape.locks;
        if threads[me].held.iter().any(|&(l, mode)| l == lock && mode == Mode::Exclusive) {
            return Some(vec![access(random)]);
        }
        if threads[me].held.iter().any(|&(l, _)| l == lock) || !free_for(threads, lock, Mode::Exclusive) {
            return None;
        }
        let lock = (lock as u32).into();
        let mode = Mode::Exclusive;
        return Some(vec![
            Op::Acquire { lock, mode, tries: false },
            access(random),
            Op::Release { lock, mode },
        ]);
    }
    Some(vec![access(random)])
}

/// A thread reads a watched value, in a block of its own or as it is, or uses one.
fn flow(random: &mut Random, shape: &Shape, threads: &[Thread], me: usize) -> Option<Vec<Op>> {
    let flow = if random.percent(50) { 0 } else { random.below(FlowKind::ALL.len()) };
    let flow = FlowId(flow as u32);
    if random.percent(45) {
        return Some(vec![Op::Flow { flow, used: true }]);
    }
    let read = Op::Flow { flow, used: false };
    let v = random.below(shape.vars + shape.volatiles);
    let var = VarId(v as u32);
    let access = match (v < shape.vars, random.percent(90)) {
        (true, true) => Op::Read { var },
        (true, false) => Op::Write { var },
        (false, true) => Op::VolatileRead { var, update: false },
        (false, false) => Op::VolatileWrite { var, update: false },
    };
    let lock = random.below(shape.locks.max(1));
    let free = shape.locks > 0 && free_for(threads, lock, Mode::Exclusive);
    if !free || threads[me].held.iter().any(|&(l, _)| l == lock) || random.percent(30) {
        return Some(vec![access, read]);
    }
    let (lock, mode) = ((lock as u32).into(), Mode::Exclusive);
    let (acquire, release) = (Op::Acquire { lock, mode, tries: false }, Op::Release { lock, mode });
    Some(match random.percent(60) {
        true => vec![acquire, access, read, release],
        false => vec![acquire, access, release, read],
    })
}
