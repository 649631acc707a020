//! How values that were read under a lock flow through one method: which registers hold them, whether the block they were
//! read in has ended, whether somebody took them for good. What calls do comes from summaries.

use program::MethodId;
use program::ir::{BlockId, Body, Op, Reg};
use rustc_hash::FxHashMap;

use super::summary::{Return, Summaries, Summary, Written, add_all};
use super::waits::Wait;
use crate::on_code::accesses::{Variable, accessed};
use crate::on_code::locks::{Base, Change, Depth, Known, LONGEST, MethodLocks, Path, Paths};
use crate::on_code::{Code, Place};

/// Where a value comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A parameter.
    Param(u32),
    /// A read of shared data.
    Read(Box<Read>),
}

/// A read of shared data under a lock.
#[derive(Clone, Debug)]
pub struct Read {
    /// Which variable.
    pub variable: Variable,
    /// Of which object; none for static fields.
    pub object: Option<Path>,
    /// Where it is read, perhaps in a method that was called.
    pub place: Place,
    /// The instruction of this method that gives it.
    pub inst: u32,
    /// The lock of the innermost block, in the terms of this method.
    pub lock: Option<Path>,
    /// The block, if it is one of this method.
    pub(super) block: Option<usize>,
    /// Other locks of this method that were held, and where they were taken.
    pub outer: Vec<(usize, u32)>,
    /// The locks held, as people read them.
    pub locks: Vec<String>,
    /// What chose the element or object that was read: whoever takes that away has taken this.
    chosen_by: Vec<u32>,
    /// What the method that was called may have waited for after it read it.
    pub waited: Vec<Wait>,
}

/// What has become of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Its block is still open.
    Open,
    /// Its block has ended.
    Ended,
    /// Its block has ended by waiting, whoever else holds the lock.
    Waited,
    /// Whoever read it took it away: it is nobody else's any more.
    Taken,
}

impl Stage {
    pub(super) fn is_old(self) -> bool {
        matches!(self, Stage::Ended | Stage::Waited)
    }
}

/// Stands for the block of a lock that the callers took.
pub(super) const CALLERS: usize = usize::MAX;

/// What is known at a place. Small: a method has few such values at a time.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct State {
    pub values: FxHashMap<Reg, Vec<(u32, Stage)>>,
    /// Variables that were read again in a block that is still open, and looked at.
    pub checked: Vec<(Variable, usize)>,
    /// The same, on some ways that lead here.
    pub perhaps_checked: Vec<(Variable, usize)>,
    /// What may have been waited for since the method began.
    pub waited: Vec<Wait>,
    seen: bool,
}

impl State {
    /// Whether a value that is used belongs to nobody and is not checked, on whichever way.
    pub(super) fn is_always(&self, variable: Variable, source: u32, values: &[(u32, Stage)]) -> bool {
        !values.contains(&(source, Stage::Taken))
            && self.perhaps_checked.iter().all(|(checked, _)| *checked != variable)
    }
}

/// A use of a value whose block has ended.
#[derive(Clone, Debug)]
pub struct Use {
    /// The value's source.
    pub source: u32,
    /// Where it is used.
    pub inst: u32,
    /// How.
    pub kind: UseKind,
    /// In which register; none: in any that is used.
    pub reg: Reg,
    /// Is it one of such a value however the place is reached? On some ways the value may be somebody's own, or checked.
    pub always: bool,
    /// The locks held, as people read them.
    pub locks: Vec<String>,
    /// The method's own locks that are held, and where they were taken.
    pub held: Vec<(usize, u32)>,
    /// What may have been waited for since the value was read, if that made it old.
    pub waited: Vec<Wait>,
}

/// What a stale value is used for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UseKind {
    /// It is written to a variable, here or in a method that is called.
    Written {
        /// The variable.
        variable: Variable,
        /// Its object.
        object: Option<Path>,
        /// Where, if it is in another method.
        place: Option<Place>,
        /// Is the lock of the read held again?
        same_lock: bool,
    },
    /// It is printed or logged.
    Printed,
    /// It is returned.
    Returned,
    /// Anything: of interest to the paper only.
    Any,
}

/// What the flow of one method shows.
#[derive(Default)]
pub struct Flow {
    /// Where values come from.
    pub sources: Vec<Source>,
    /// What stale ones are used for.
    pub uses: Vec<Use>,
    /// For callers.
    pub summary: Summary,
    /// It was given up.
    pub given_up: bool,
    /// More is known than is kept.
    pub cut: bool,
    /// Calls with too many targets.
    pub wide: usize,
}

/// More sources or rounds are not followed.
const MOST_SOURCES: usize = 400;
const MOST_VALUES: usize = 24;

/// Follows the values of a method.
pub struct Follow<'c, 's> {
    pub(super) code: &'c Code,
    pub(super) method: MethodId,
    pub(super) body: &'c Body,
    pub(super) paths: Paths<'c>,
    pub(super) locks: Option<&'c MethodLocks>,
    pub(super) paper: bool,
    pub(super) summaries: &'s Summaries,
    /// Sources by instruction and what is read there.
    numbers: FxHashMap<(u32, u32), u32>,
    pub(super) found: Flow,
    states: Vec<State>,
    /// Uses are gathered in the last round only.
    pub(super) gathering: bool,
}

impl<'c, 's> Follow<'c, 's> {
    /// Follows them to the end.
    pub fn run(code: &'c Code, method: MethodId, paper: bool, summaries: &'s Summaries) -> Flow {
        let Some(body) = code.program.body(method) else { return Flow::default() };
        let mut follow = Follow {
            code,
            method,
            body,
            paths: Paths::new(&code.program, &code.points, &code.locks.stable, method, body),
            locks: code.locks.of(method),
            paper,
            summaries,
            numbers: FxHashMap::default(),
            found: Flow::default(),
            states: vec![State::default(); body.blocks.len()],
            gathering: false,
        };
        follow.settle();
        follow.found
    }

    fn settle(&mut self) {
        let mut entry = State { seen: true, ..State::default() };
        for (reg, number) in self.body.params().iter().zip(0..) {
            let source = self.found.sources.len() as u32;
            self.found.sources.push(Source::Param(number));
            entry.values.insert(*reg, vec![(source, Stage::Open)]);
        }
        if let Some(first) = self.states.first_mut() {
            *first = entry;
        }
        let mut work = vec![BlockId::ENTRY];
        let mut rounds = 40 * self.body.blocks.len() + 100;
        while let Some(block) = work.pop() {
            rounds = rounds.saturating_sub(1);
            if rounds == 0 || self.found.sources.len() > MOST_SOURCES {
                self.found.given_up = true;
                return;
            }
            self.block(block, &mut work);
        }
        self.gathering = true;
        for block in (0..self.body.blocks.len() as u32).map(BlockId) {
            if self.states.get(block.index()).is_some_and(|state| state.seen) {
                self.block(block, &mut Vec::new());
            }
        }
    }

    fn block(&mut self, id: BlockId, work: &mut Vec<BlockId>) {
        let Some(start) = self.states.get(id.index()).cloned() else { return };
        let block = self.body.block(id);
        let mut depths = self.locks.map(|locks| locks.start(id).to_vec()).unwrap_or_default();
        let mut state = start.clone();
        for (inst, number) in self.body.insts(&block).iter().zip(block.insts.start..) {
            self.inst(number, &inst.op, inst.result, &mut state, &depths);
            self.lock_step(number, &mut state, &mut depths);
        }
        if self.gathering {
            return;
        }
        for edge in self.body.edges(&block) {
            self.join(&state, edge.target, edge.arguments, work);
        }
        for edge in self.body.catches(&block) {
            self.join(&start, edge.target, edge.arguments, work);
        }
    }

    /// Passes a state on to a block.
    fn join(
        &mut self,
        state: &State,
        target: BlockId,
        arguments: program::ir::List,
        work: &mut Vec<BlockId>,
    ) {
        let params = self.body.list(self.body.block(target).params);
        let mut passed = state.clone();
        for param in params {
            passed.values.remove(param);
        }
        for (param, argument) in params.iter().zip(self.body.list(arguments)) {
            if let Some(values) = state.values.get(argument) {
                passed.values.insert(*param, values.clone());
            }
        }
        let Some(known) = self.states.get_mut(target.index()) else { return };
        if !known.seen {
            passed.seen = true;
            *known = passed;
            work.push(target);
            return;
        }
        let mut changed = false;
        for (reg, values) in passed.values {
            let before = known.values.entry(reg).or_default();
            for value in values {
                if before.contains(&value) {
                    continue;
                }
                if before.len() < MOST_VALUES {
                    before.push(value);
                    changed = true;
                } else {
                    self.found.cut = true;
                }
            }
        }
        let count = known.checked.len();
        known.checked.retain(|checked| passed.checked.contains(checked));
        changed |= known.checked.len() != count;
        for checked in passed.perhaps_checked {
            if !known.perhaps_checked.contains(&checked) {
                known.perhaps_checked.push(checked);
                changed = true;
            }
        }
        let count = known.waited.len();
        add_all(&mut known.waited, &passed.waited);
        changed |= known.waited.len() != count;
        if changed {
            work.push(target);
        }
    }

    /// What becomes of values when locks change.
    fn lock_step(&mut self, inst: u32, state: &mut State, depths: &mut [Depth]) {
        let Some(locks) = self.locks else { return };
        locks.step(inst, depths);
        let waits = self.waits_here(inst, depths);
        self.wait(&waits, state, depths);
        let ended = match locks.ops.get(&inst) {
            Some((Change::Release, Some(slot))) if depths.get(*slot).is_some_and(|depth| depth.most == 0) => {
                *slot
            }
            _ => return,
        };
        state.checked.retain(|(_, slot)| *slot != ended);
        state.perhaps_checked.retain(|(_, slot)| *slot != ended);
        let sources = &self.found.sources;
        for (source, stage) in state.values.values_mut().flatten() {
            let Some(Source::Read(read)) = sources.get(*source as usize) else { continue };
            if *stage == Stage::Open && read.block == Some(ended) {
                *stage = Stage::Ended;
            }
        }
    }

    /// The values of registers, each once.
    pub(super) fn values(&self, state: &State, regs: impl Iterator<Item = Reg>) -> Vec<(u32, Stage)> {
        let mut all: Vec<(u32, Stage)> = Vec::new();
        for value in regs.filter_map(|reg| state.values.get(&reg)).flatten() {
            if !all.contains(value) {
                all.push(*value);
            }
        }
        all
    }

    fn inst(&mut self, number: u32, op: &Op, result: Reg, state: &mut State, depths: &[Depth]) {
        let mut used = self.values(state, self.body.uses(op));
        if self.paper {
            self.paper_use(number, op, &used, state, depths);
            used = self.values(state, self.body.uses(op));
        }
        let mut given: Vec<(u32, Stage)> = Vec::new();
        let access = accessed(self.code, self.method, &self.paths, op);
        match *op {
            Op::Put { value, .. } | Op::PutStatic { value, .. } | Op::Store { value, .. } => {
                if let Some((variable, object, _)) = access {
                    let object = self.object(variable, object);
                    self.write(number, variable, object, value, state, depths);
                }
            }
            Op::Get { .. } | Op::GetStatic { .. } | Op::Load { .. } => {
                // What is read out of something that was taken away belongs to who took it.
                let taken = used.iter().any(|(_, stage)| *stage == Stage::Taken);
                if let Some((variable, object, _)) = access
                    && !taken
                    && self.summaries.may_change(variable)
                {
                    let object = self.object(variable, object);
                    // What chose it: the index, or whatever the object was found in.
                    let chosen_by = match *op {
                        Op::Load { index, .. } => self.values(state, std::iter::once(index)),
                        Op::Get { object, .. } => self.values(state, std::iter::once(object)),
                        _ => Vec::new(),
                    };
                    let place = Place { method: self.method, inst: number };
                    let got = Got { variable, object, place, lock: None, waited: Vec::new() };
                    given.extend(self.read((number, 0), got, &chosen_by, depths));
                } else if taken {
                    given.extend(used.iter().filter(|(_, stage)| *stage == Stage::Taken));
                }
            }
            Op::Call { method, arguments, .. } => {
                given = self.call(number, (method, arguments), result, state, depths);
            }
            Op::Return { value } => self.returned(number, value, state, depths),
            Op::Branch { .. } | Op::Switch { .. } => self.checks(&used, state),
            Op::New(_) | Op::Enter { .. } | Op::Exit { .. } => {}
            _ => given = used,
        }
        if result.is_some() {
            if given.is_empty() {
                state.values.remove(&result);
            } else {
                given.sort_unstable();
                given.dedup();
                self.found.cut |= given.len() > MOST_VALUES;
                given.truncate(MOST_VALUES);
                state.values.insert(result, given);
            }
        }
    }

    fn object(&self, variable: Variable, object: Option<Reg>) -> Option<Path> {
        let is_static = self.code.program.field(variable.field).access & program::flags::STATIC != 0;
        object.filter(|_| !is_static).map(|reg| self.paths.of(reg))
    }

    /// The innermost block that is open here, if this method opened one.
    fn current(&self, depths: &[Depth]) -> Option<usize> {
        let locks = self.locks?;
        let entry = self.code.locks.entry(self.method);
        let held = locks.slots.iter().zip(depths).enumerate().filter(|(_, (slot, depth))| {
            // A lock that all callers hold is taken again, which opens nothing.
            let again = entry.iter().any(|fact| fact.lock == Known::Path(slot.path.clone()));
            depth.least > 0 && !again
        });
        held.max_by_key(|(_, (_, depth))| if depth.since == Depth::SEVERAL { 0 } else { depth.since + 1 })
            .map(|(slot, _)| slot)
    }

    /// A value of shared data, read here or by what is called here.
    pub(super) fn read(
        &mut self,
        (inst, which): (u32, u32),
        got: Got,
        chosen_by: &[(u32, Stage)],
        depths: &[Depth],
    ) -> Option<(u32, Stage)> {
        let Got { variable, object, place, lock, waited } = got;
        if chosen_by.iter().any(|(_, stage)| *stage == Stage::Taken) {
            return None;
        }
        let block = self.current(depths);
        let slots = self.locks.map(|locks| locks.slots.as_slice()).unwrap_or_default();
        let own = block.and_then(|block| slots.get(block)).map(|slot| slot.path.clone());
        let entry = self.callers_lock();
        // What a callee read under a lock that is not held here has ended with it.
        let held_here = |path: &Path| {
            slots.iter().zip(depths).any(|(slot, depth)| depth.least > 0 && slot.path == *path)
                || self
                    .code
                    .locks
                    .entry(self.method)
                    .iter()
                    .any(|fact| fact.lock == Known::Path(path.clone()))
        };
        let (stage, block, lock) = match lock {
            _ if !waited.is_empty() => (Stage::Waited, None, lock.or(own).or(entry)),
            Some(lock) if !held_here(&lock) => (Stage::Ended, None, Some(lock)),
            // Taking a lock again opens nothing: it is a read in the innermost block that is open here.
            _ => (Stage::Open, block, own.or(entry)),
        };
        let number = match self.numbers.get(&(inst, which)) {
            Some(number) => *number,
            None => {
                let outer = depths.iter().enumerate().filter(|(slot, d)| d.least > 0 && Some(*slot) != block);
                let read = Read {
                    variable,
                    object,
                    place,
                    inst,
                    lock,
                    block,
                    outer: outer.map(|(slot, depth)| (slot, depth.since)).collect(),
                    locks: self.code.lock_names(self.method, depths, false),
                    chosen_by: Vec::new(),
                    waited,
                };
                let number = self.found.sources.len() as u32;
                self.found.sources.push(Source::Read(Box::new(read)));
                self.numbers.insert((inst, which), number);
                number
            }
        };
        if let Some(Source::Read(read)) = self.found.sources.get_mut(number as usize) {
            for (chooser, _) in chosen_by {
                if !read.chosen_by.contains(chooser) {
                    read.chosen_by.push(*chooser);
                }
            }
        }
        Some((number, stage))
    }

    /// Something is written: a use of the value, and the end of what was read there.
    fn write(
        &mut self,
        inst: u32,
        variable: Variable,
        object: Option<Path>,
        value: Reg,
        state: &mut State,
        depths: &[Depth],
    ) {
        let is_checked = state.checked.iter().any(|(checked, _)| *checked == variable);
        let values = self.values(state, std::iter::once(value));
        for &(source, stage) in &values {
            match self.found.sources.get(source as usize) {
                Some(Source::Param(number)) if !is_checked => {
                    let object = object.clone().filter(|path| !path.is_local());
                    let is_static =
                        self.code.program.field(variable.field).access & program::flags::STATIC != 0;
                    if (is_static || object.is_some()) && !self.paper {
                        let place = Place { method: self.method, inst };
                        let lock = self.lock_here(depths);
                        let after = for_callers(&state.waited);
                        let written = Written { param: *number, variable, object, place, lock, after };
                        self.found.summary.written(written);
                    }
                }
                Some(Source::Read(read)) if stage.is_old() && !is_checked => {
                    let here = self.lock_here(depths).or_else(|| self.callers_lock());
                    let same_lock = read.lock.is_some() && read.lock == here;
                    let kind = UseKind::Written { variable, object: object.clone(), place: None, same_lock };
                    let always = state.is_always(variable, source, &values);
                    self.used(source, inst, kind, (value, always), old_by(stage, state), depths);
                }
                _ => {}
            }
        }
        self.taken(variable, object.as_ref(), state);
    }

    /// What was read from a place that is overwritten in the same block belongs to who read it.
    pub(super) fn taken(&self, variable: Variable, object: Option<&Path>, state: &mut State) {
        if self.paper {
            return;
        }
        let sources = &self.found.sources;
        let is_over = |source: u32| match sources.get(source as usize) {
            Some(Source::Read(read)) => read.variable == variable && read.object.as_ref() == object,
            _ => false,
        };
        for (source, stage) in state.values.values_mut().flatten() {
            let chosen = match sources.get(*source as usize) {
                Some(Source::Read(read)) => read.chosen_by.iter().any(|chooser| is_over(*chooser)),
                _ => false,
            };
            if *stage == Stage::Open && (is_over(*source) || chosen) {
                *stage = Stage::Taken;
            }
        }
    }

    pub(super) fn lock_here(&self, depths: &[Depth]) -> Option<Path> {
        let slot = self.current(depths)?;
        self.locks.and_then(|locks| locks.slots.get(slot)).map(|slot| slot.path.clone())
    }

    /// A lock that all callers hold.
    pub(super) fn callers_lock(&self) -> Option<Path> {
        self.code.locks.entry(self.method).iter().find_map(|fact| match &fact.lock {
            Known::Path(path) => Some(path.clone()),
            Known::Objects(_) => None,
        })
    }

    pub(super) fn used(
        &mut self,
        source: u32,
        inst: u32,
        kind: UseKind,
        (reg, always): (Reg, bool),
        waited: Vec<Wait>,
        depths: &[Depth],
    ) {
        if self.gathering {
            let locks = self.code.lock_names(self.method, depths, false);
            let held = depths.iter().enumerate().filter(|(_, depth)| depth.least > 0);
            let held = held.map(|(slot, depth)| (slot, depth.since)).collect();
            self.found.uses.push(Use { source, inst, kind, reg, always, locks, held, waited });
        }
    }

    /// A branch on a value that is fresh: what is written after it was looked at again.
    fn checks(&self, used: &[(u32, Stage)], state: &mut State) {
        let before = state.checked.len();
        self.note_checks(used, state);
        if state.checked.len() != before {
            let new: Vec<_> =
                state.checked.iter().filter(|one| !state.perhaps_checked.contains(one)).copied().collect();
            state.perhaps_checked.extend(new);
            state.perhaps_checked.sort_unstable();
        }
    }

    fn note_checks(&self, used: &[(u32, Stage)], state: &mut State) {
        for (source, stage) in used {
            let Some(Source::Read(read)) = self.found.sources.get(*source as usize) else { continue };
            let callers = (read.lock.is_some() && read.place.method == self.method).then_some(CALLERS);
            let (Stage::Open, Some(block)) = (*stage, read.block.or(callers)) else { continue };
            let checked = (read.variable, block);
            if !state.checked.contains(&checked) {
                state.checked.push(checked);
                state.checked.sort_unstable();
            }
            // A stale value that is compared with a fresh one is checked by it.
            for (other, stage) in used {
                if stage.is_old()
                    && let Some(Source::Read(old)) = self.found.sources.get(*other as usize)
                {
                    let checked = (old.variable, block);
                    if !state.checked.contains(&checked) {
                        state.checked.push(checked);
                        state.checked.sort_unstable();
                    }
                }
            }
        }
    }

    fn returned(&mut self, inst: u32, value: Reg, state: &State, depths: &[Depth]) {
        let values = self.values(state, std::iter::once(value));
        for &(source, stage) in &values {
            let summary = &mut self.found.summary;
            match self.found.sources.get(source as usize) {
                Some(Source::Param(number)) if !summary.passes.contains(number) => {
                    summary.passes.push(*number)
                }
                Some(Source::Read(read)) if stage != Stage::Taken => {
                    let variable = read.variable;
                    let is_local = |path: &Option<Path>| path.as_ref().is_some_and(Path::is_local);
                    if !is_local(&read.lock) && !is_local(&read.object) {
                        let (object, place, lock) = (read.object.clone(), read.place, read.lock.clone());
                        let mut after = old_by(stage, state);
                        add_all(&mut after, &read.waited);
                        summary.returned(Return {
                            variable,
                            object,
                            place,
                            lock,
                            after: for_callers(&after),
                        });
                    }
                    if stage.is_old() && !self.paper {
                        let always = state.is_always(variable, source, &values);
                        let waited = old_by(stage, state);
                        self.used(source, inst, UseKind::Returned, (value, always), waited, depths);
                    }
                }
                _ => {}
            }
        }
    }

    /// The paper's own verdict: any use of a value in another block than its own. The value then counts as unshared.
    fn paper_use(&mut self, inst: u32, op: &Op, used: &[(u32, Stage)], state: &mut State, depths: &[Depth]) {
        // Handing the value on is no use: who gets it is judged.
        if matches!(op, Op::Return { .. } | Op::Enter { .. } | Op::Exit { .. } | Op::Jump) {
            return;
        }
        let current = self.current(depths);
        for (source, stage) in used {
            let Some(Source::Read(read)) = self.found.sources.get(*source as usize) else { continue };
            // Without a block of its own it is of one that a caller opened, if anybody holds a lock at all.
            let in_block = read.block.is_some() || read.lock.is_some();
            let elsewhere = stage.is_old() || in_block && current != read.block;
            if elsewhere {
                self.used(*source, inst, UseKind::Any, (Reg::NONE, true), Vec::new(), depths);
                for values in state.values.values_mut() {
                    values.retain(|(other, _)| other != source);
                }
            }
        }
    }
}

/// What a read gives that happens here, or in a method that is called.
pub(super) struct Got {
    pub variable: Variable,
    pub object: Option<Path>,
    pub place: Place,
    pub lock: Option<Path>,
    pub waited: Vec<Wait>,
}

/// What was waited for, if that made a value old.
pub(super) fn old_by(stage: Stage, state: &State) -> Vec<Wait> {
    if stage == Stage::Waited { state.waited.clone() } else { Vec::new() }
}

/// Those that mean something to callers.
pub(super) fn for_callers(waits: &[Wait]) -> Vec<Wait> {
    waits.iter().filter(|wait| wait.is_for_callers()).cloned().collect()
}

/// A path of a callee in the terms of the one who calls it with these arguments; none if it has none there or is too long.
pub(super) fn in_terms_of_caller(path: &Path, arguments: &[Path]) -> Option<Path> {
    match path.base {
        Base::Param(number) => {
            let mut whole = arguments.get(number as usize)?.clone();
            whole.fields.extend(&path.fields);
            Some(whole).filter(|whole| whole.fields.len() <= LONGEST)
        }
        Base::Local(_) => None,
        _ => Some(path.clone()),
    }
}
