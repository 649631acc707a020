//! Well-formed traces of any size for the benchmarks.
//!
//! Each thread runs small transactions: some accesses to variables of its own, then a region under one lock with
//! accesses to variables that belong to that lock. *mixed*: most transactions are blocks, a few take the lock twice,
//! and once in a while a shared variable is accessed without its lock. *atomic*: every transaction is a block with one
//! region, so nothing is wrong. *racy*: as mixed, with one bare access in fifty.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};

use events::{
    Block, BlockId, Event, Field, Gap, Lender, Lock, LockId, Mode, Op, Progress, Site, SiteId, Slot, Source,
    Symbols, ThreadId, TraceError, VarId, Variable,
};

/// What goes wrong in a trace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Mixed,
    Atomic,
    Racy,
}

/// The size of a trace.
#[derive(Clone, Copy)]
pub struct Shape {
    pub events: u64,
    pub threads: u32,
    pub locks: u32,
    pub variables: u32,
    pub seed: u64,
    pub kind: Kind,
}

const BLOCKS: u32 = 200;
/// Places are `group * 1000 + block`, one group for each kind of operation.
const GROUPS: u32 = 8;

impl Shape {
    /// From the command line: events, threads, locks, variables, seed, kind.
    pub fn parse(words: &[&str]) -> Result<Self, String> {
        let &[events, threads, locks, variables, seed, kind] = words else {
            return Err("generate wants OUT EVENTS THREADS LOCKS VARIABLES SEED mixed|atomic|racy".into());
        };
        let number = |word: &str| word.parse::<u64>().map_err(|e| format!("{word}: {e}"));
        let small = |word: &str| word.parse::<u32>().map_err(|e| format!("{word}: {e}"));
        let kind = match kind {
            "mixed" => Kind::Mixed,
            "atomic" => Kind::Atomic,
            "racy" => Kind::Racy,
            other => return Err(format!("{other}: no such kind of trace")),
        };
        Ok(Self {
            events: number(events)?,
            threads: small(threads)?.max(1),
            locks: small(locks)?.max(1),
            variables: small(variables)?.max(1),
            seed: number(seed)?,
            kind,
        })
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, n: u32) -> u32 {
        (((self.next() >> 32) * u64::from(n)) >> 32) as u32
    }

    fn chance(&mut self, p: f64) -> bool {
        ((self.next() >> 11) as f64) < p * (1u64 << 53) as f64
    }
}

/// A generated trace being handed out.
pub struct Generated {
    shape: Shape,
    random: Random,
    symbols: Lender<Symbols>,
    /// What each thread still has to do of its transaction.
    todo: Vec<VecDeque<(u32, Op)>>,
    held: Vec<bool>,
    made: u64,
    /// Everything is done but the joins from this thread on.
    joining: Option<u32>,
}

impl Generated {
    /// Begins a trace.
    pub fn new(shape: Shape) -> Self {
        let mut symbols = Symbols::new();
        for t in 0..shape.threads {
            symbols.thread(&format!("T{t}"));
        }
        for l in 0..shape.locks {
            let name = symbols.string(&format!("L{l}"));
            symbols.locks.intern(Lock::Named(name));
        }
        for b in 0..BLOCKS {
            let name = symbols.string(&format!("M{b}"));
            symbols.blocks.intern(Block { name });
        }
        let own = Self::own_variables(shape);
        let names = (0..shape.variables)
            .map(|v| format!("V{v}"))
            .chain((0..shape.threads).flat_map(|t| (0..own).map(move |i| format!("P{t}.{i}"))));
        for name in names {
            let name = symbols.string(&name);
            let field = symbols.fields.push(Field { class: None, name, is_final: false });
            let id = VarId(symbols.variables().len() as u32);
            symbols.define_variable(id, Variable { object: None, slot: Slot::Field(field) });
        }
        for line in (0..GROUPS).flat_map(|group| (0..BLOCKS).map(move |b| group * 1000 + b)) {
            symbols.sites.intern(Site { line: line as i32, ..Site::NOWHERE });
        }
        Self {
            shape,
            random: Random(shape.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            symbols: Lender::new(symbols),
            todo: vec![VecDeque::new(); shape.threads as usize],
            held: vec![false; shape.locks as usize],
            made: 0,
            joining: None,
        }
    }

    fn own_variables(shape: Shape) -> u32 {
        (shape.variables / shape.threads).max(1)
    }

    fn plan(&mut self, thread: u32) {
        let Shape { locks, variables, kind, .. } = self.shape;
        let random = &mut self.random;
        let todo = &mut self.todo[thread as usize];
        let own = Self::own_variables(self.shape);
        let m = random.below(BLOCKS);
        let site = |group: u32| group * BLOCKS + m;
        let lock = random.below(locks);
        let block = BlockId(m);
        let access = |random: &mut Random, writes: f64, var: u32| {
            let var = VarId(var);
            if random.chance(writes) { Op::Write { var } } else { Op::Read { var } }
        };
        let is_block = kind == Kind::Atomic || random.chance(0.6);
        if is_block {
            todo.push_back((site(1), Op::Begin { block }));
        }
        for _ in 0..=random.below(7) {
            let var = variables + thread * own + random.below(own);
            todo.push_back((site(2), access(random, 0.4, var)));
        }
        let regions = if kind == Kind::Atomic || random.chance(0.98) { 1 } else { 2 };
        for _ in 0..regions {
            let (lock_id, mode) = (LockId(lock), Mode::Exclusive);
            todo.push_back((site(3), Op::Acquire { lock: lock_id, mode, tries: false }));
            for _ in 0..=random.below(5) {
                let var = lock + locks * random.below((variables / locks).max(1));
                todo.push_back((site(4), access(random, 0.3, var % variables)));
            }
            todo.push_back((site(5), Op::Release { lock: lock_id, mode }));
        }
        let bare = match kind {
            Kind::Mixed => 4.0 / 20_000.0,
            Kind::Atomic => 0.0,
            Kind::Racy => 4.0 / 50.0,
        };
        if random.chance(bare) {
            let var = random.below(variables);
            todo.push_back((site(6), access(random, 0.5, var)));
        }
        if is_block {
            todo.push_back((site(7), Op::Finish { block }));
        }
    }

    /// One step of a thread, unless it has to wait for a lock.
    fn step(&mut self, thread: u32, batch: &mut Vec<Event>) -> bool {
        let Some(&(site, op)) = self.todo[thread as usize].front() else { return false };
        match op {
            Op::Acquire { lock, .. } if self.held[lock.index()] => return false,
            Op::Acquire { lock, .. } => self.held[lock.index()] = true,
            Op::Release { lock, .. } => self.held[lock.index()] = false,
            _ => {}
        }
        self.todo[thread as usize].pop_front();
        self.push(thread, site, op, batch);
        true
    }

    fn push(&mut self, thread: u32, site: u32, op: Op, batch: &mut Vec<Event>) {
        batch.push(Event { thread: ThreadId(thread), site: SiteId(site), op });
        self.made += 1;
    }
}

impl Source for Generated {
    fn fill(&mut self, batch: &mut Vec<Event>) -> Result<bool, TraceError> {
        batch.clear();
        if self.made == 0 {
            for child in 1..self.shape.threads {
                self.push(0, 0, Op::Fork { child: ThreadId(child) }, batch);
            }
        }
        while batch.len() < 4096 && self.made < self.shape.events {
            let thread = self.random.below(self.shape.threads);
            for _ in 0..=self.random.below(19) {
                if self.todo[thread as usize].is_empty() {
                    self.plan(thread);
                }
                if !self.step(thread, batch) {
                    break;
                }
            }
        }
        if self.made >= self.shape.events && self.joining.is_none() {
            self.joining = Some(1);
            while self.todo.iter().any(|todo| !todo.is_empty()) {
                for thread in 0..self.shape.threads {
                    while self.step(thread, batch) {}
                }
            }
        }
        if let Some(from) = self.joining {
            for child in from..self.shape.threads {
                self.push(0, 1, Op::Join { child: ThreadId(child) }, batch);
            }
            self.joining = Some(self.shape.threads);
        }
        Ok(!batch.is_empty())
    }

    fn lender(&self) -> &Lender<Symbols> {
        &self.symbols
    }

    fn gaps(&self) -> &[Gap] {
        &[]
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

/// Writes a trace in the form that the file's ending names.
pub fn write(path: &str, shape: Shape) -> Result<(), String> {
    let error = |e: &dyn std::fmt::Display| format!("{path}: {e}");
    let file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(|e| error(&e))?);
    let mut source = Generated::new(shape);
    let mut batch = Vec::new();
    let mut file = if path.ends_with(".std") {
        let mut writer = events::rapid::Writer::new(file, false);
        while source.fill(&mut batch).map_err(|e| error(&e))? {
            writer.batch(&batch, source.symbols()).map_err(|e| error(&e))?;
        }
        writer.finish().map_err(|e| error(&e))?.0
    } else if path.ends_with(".trace") {
        let mut writer = events::binary::Writer::new(file).map_err(|e| error(&e))?;
        while source.fill(&mut batch).map_err(|e| error(&e))? {
            writer.batch(&batch, source.symbols()).map_err(|e| error(&e))?;
        }
        writer.finish(source.symbols()).map_err(|e| error(&e))?
    } else {
        return Err(error(&"the ending names no form: .trace or .std"));
    };
    file.flush().map_err(|e| error(&e))
}
