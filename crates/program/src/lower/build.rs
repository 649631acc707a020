//! Blocks of bytecode to a draft of register code: what locals and stack hold is followed from block to block, in
//! reverse postorder. Where edges meet, a block has a parameter for each stack place and for each local that is live and
//! written more than once; `finish.rs` takes out those that turn out to hold one value. What single instructions do is
//! in `step.rs`.
//!
//! The first attempt takes what compilers make for granted (a local that is written once is read only where it has been
//! written; a handler is reached by exceptions only). If the code turns out not to be so, a second one is careful: all
//! locals get parameters, all handlers their edges.

use classfile::{Class as File, Instruction, Member, MethodType, flags, op};

use super::blocks::{Blocks, Raw};
use super::constants::Constants;
use super::finish;
use super::liveness::Liveness;
use super::{Result, Trouble};
use crate::ir::{Body, Caught, ClassRef, Inst, Kind, List, Op, Reg, TextId};

/// How many arguments, and how many places of saved states, a method may need.
const MOST_ARGUMENTS: usize = 1 << 22;
const MOST_PLACES: usize = 1 << 24;

/// Not there.
const NONE: u32 = u32::MAX;

/// Memory that is used again from method to method.
#[derive(Default)]
pub struct Room<'c> {
    blocks: Blocks<'c>,
    live: Liveness,
    draft: Draft,
    joins: Vec<Join>,
    saved: Vec<Reg>,
    locals: Vec<Reg>,
    stack: Vec<Reg>,
    lines: Vec<(u16, u16)>,
}

/// Register code before parameters are taken out. Blocks are numbered as in the bytecode.
#[derive(Default)]
pub struct Draft {
    pub kinds: Vec<Kind>,
    /// By register: it is never null.
    pub safe: Vec<bool>,
    pub insts: Vec<Inst>,
    pub lists: Vec<Reg>,
    pub keys: Vec<i32>,
    pub blocks: Vec<DraftBlock>,
    pub edges: Vec<DraftEdge>,
    pub arguments: Vec<Reg>,
}

#[derive(Clone, Copy, Default)]
pub struct DraftBlock {
    /// Its number in the bytecode; none for the entry of a method that needs one of its own.
    pub raw: u32,
    /// First register and number of its parameters.
    pub params: (u32, u32),
    pub insts: (u32, u32),
    pub edges: (u32, u32),
    pub catches: (u32, u32),
}

#[derive(Clone, Copy)]
pub struct DraftEdge {
    /// The target's number in the bytecode.
    pub target: u32,
    /// First of its arguments; there are as many as the target has parameters.
    pub arguments: u32,
    pub count: u32,
    pub caught: Caught,
}

/// What is known where a block starts.
#[derive(Clone, Copy)]
struct Join {
    /// Where the locals (and without parameters the stack) stand in `saved`; `NONE` before anything has arrived.
    state: u32,
    depth: u32,
    /// First register and number of its parameters: the stack's, then the live locals'.
    params: (u32, u32),
    /// Has its turn come?
    done: bool,
}

/// Lowers the code of a method; `None` if it has none.
pub fn body<'c>(
    file: &'c File<'c>,
    method: &'c Member<'c>,
    descriptor: TextId,
    this: ClassRef,
    constants: &mut Constants<'c>,
    room: &mut Room<'c>,
) -> Result<Option<Body>> {
    if method.access & (flags::ABSTRACT | flags::NATIVE) != 0 {
        return Ok(None);
    }
    let Some(code) = file.code(method)? else { return Ok(None) };
    let synchronized = method.access & flags::SYNCHRONIZED != 0;
    room.blocks.cut(&code, synchronized)?;
    let copied = room.blocks.copied;
    room.lines.clear();
    room.lines.extend(code.lines(&file.pool));
    if !room.lines.is_sorted_by_key(|line| line.0) {
        room.lines.sort_by_key(|line| line.0);
    }
    // Parameters: their slots and kinds.
    let mut given: Vec<(u16, Kind)> = Vec::new();
    let is_static = method.access & flags::STATIC != 0;
    if !is_static {
        given.push((0, Kind::Ref));
    }
    let mut slot = u16::from(!is_static);
    let text = constants.table.text(descriptor).as_bytes();
    let types = MethodType::parse(text).ok_or(Trouble::Malformed("the descriptor cannot be read"))?;
    for parameter in types.parameters() {
        given.push((slot, Kind::of(parameter)));
        slot = slot.saturating_add(parameter.slots());
    }
    let result = types.result().map(Kind::of);
    if slot > code.max_locals {
        return Err(Trouble::Malformed("the parameters do not fit into the locals"));
    }
    let mut attempt = |careful| {
        let Room { blocks, live, draft, joins, saved, locals, stack, lines } = &mut *room;
        let slots: Vec<u16> = given.iter().map(|(slot, _)| *slot).collect();
        live.find(blocks, code.max_locals, &slots, careful)?;
        draft.clear();
        joins.clear();
        saved.clear();
        stack.clear();
        locals.clear();
        locals.resize(usize::from(code.max_locals), Reg::NONE);
        joins.resize(blocks.blocks.len() + 1, Join { state: NONE, depth: 0, params: (0, 0), done: false });
        let mut builder = Builder {
            constants,
            blocks,
            live,
            lines,
            draft,
            joins,
            saved,
            locals,
            stack,
            careful,
            this,
            is_static,
            synchronized,
            result,
            lock: Reg::NONE,
            pc: 0,
            line: 0,
            next_line: 0,
            threw: false,
            most_stack: usize::from(code.max_stack),
        };
        builder.run(&given)?;
        finish::finish(builder.draft)
    };
    // What is written once in the code is written once in each copy.
    if copied {
        return attempt(true).map(Some);
    }
    match attempt(false) {
        Err(Trouble::Malformed(_)) => attempt(true).map(Some),
        other => other.map(Some),
    }
}

pub struct Builder<'r, 'c> {
    pub constants: &'r mut Constants<'c>,
    blocks: &'r Blocks<'c>,
    live: &'r Liveness,
    lines: &'r [(u16, u16)],
    pub draft: &'r mut Draft,
    joins: &'r mut [Join],
    saved: &'r mut Vec<Reg>,
    pub locals: &'r mut [Reg],
    pub stack: &'r mut Vec<Reg>,
    careful: bool,
    pub this: ClassRef,
    is_static: bool,
    synchronized: bool,
    result: Option<Kind>,
    /// What a synchronized method locks.
    lock: Reg,
    pc: u16,
    line: u16,
    /// The first line that starts later.
    next_line: usize,
    /// May something in this block throw?
    pub threw: bool,
    pub most_stack: usize,
}

impl Draft {
    fn clear(&mut self) {
        self.kinds.clear();
        self.safe.clear();
        self.insts.clear();
        self.lists.clear();
        self.keys.clear();
        self.blocks.clear();
        self.edges.clear();
        self.arguments.clear();
    }

    fn reg(&mut self, kind: Kind, safe: bool) -> Reg {
        self.kinds.push(kind);
        self.safe.push(safe);
        Reg(self.kinds.len() as u32 - 1)
    }

    pub fn kind(&self, reg: Reg) -> Kind {
        self.kinds.get(reg.index()).copied().unwrap_or(Kind::Ref)
    }
}

fn malformed<T>(what: &'static str) -> Result<T> {
    Err(Trouble::Malformed(what))
}

impl<'c> Builder<'_, 'c> {
    /// Adds an instruction and gives its result.
    pub fn emit(&mut self, op: Op, kind: Option<Kind>, safe: bool) -> Reg {
        let result = kind.map_or(Reg::NONE, |kind| self.draft.reg(kind, safe));
        self.draft.insts.push(Inst { op, result, pc: self.pc, line: self.line });
        result
    }

    fn run(&mut self, given: &[(u16, Kind)]) -> Result<()> {
        for (slot, kind) in given {
            let reg = self.draft.reg(*kind, false);
            if let Some(place) = self.locals.get_mut(usize::from(*slot)) {
                *place = reg;
            }
        }
        if !self.is_static
            && let Some(receiver) = self.draft.safe.first_mut()
        {
            *receiver = true;
        }
        let first = self.blocks.blocks.first().copied().unwrap_or_default();
        let params = (0, given.len() as u32);
        if self.synchronized || first.before > 0 {
            self.place(0);
            self.open(NONE, params);
            if self.synchronized {
                self.lock = match self.is_static {
                    true => self.emit(Op::Class(self.this), Some(Kind::Ref), true),
                    false => Reg(0),
                };
                self.emit(Op::Enter { object: self.lock }, None, false);
            }
            self.emit(Op::Jump, None, false);
            self.arrive(0, None)?;
            self.close();
        } else {
            self.save(0)?;
            self.joins[0].params = params;
        }
        for index in 0..self.blocks.order.len() {
            let number = self.blocks.order[index];
            self.block(number)?;
        }
        if self.synchronized {
            self.implied_handler();
        }
        Ok(())
    }

    /// What a synchronized method does with an exception that leaves it.
    fn implied_handler(&mut self) {
        let number = self.blocks.blocks.len();
        let join = self.joins[number];
        if join.state == NONE {
            return;
        }
        self.open(number as u32, join.params);
        self.emit(Op::Exit { object: self.lock }, None, false);
        self.emit(Op::Throw { value: Reg(join.params.0) }, None, false);
        self.close();
    }

    /// Sets pc and line for what is emitted next.
    fn place(&mut self, pc: u16) {
        self.pc = pc;
        self.next_line = self.lines.partition_point(|(start, _)| *start <= pc);
        let line = self.next_line.checked_sub(1).and_then(|at| self.lines.get(at));
        self.line = line.map_or(0, |line| line.1);
    }

    fn open(&mut self, raw: u32, params: (u32, u32)) {
        let insts = self.draft.insts.len() as u32;
        let edges = self.draft.edges.len() as u32;
        self.draft.blocks.push(DraftBlock {
            raw,
            params,
            insts: (insts, insts),
            edges: (edges, edges),
            catches: (edges, edges),
        });
    }

    /// Ends the block's instructions and normal edges; catch edges may follow.
    fn close(&mut self) {
        let (insts, edges) = (self.draft.insts.len() as u32, self.draft.edges.len() as u32);
        if let Some(block) = self.draft.blocks.last_mut() {
            block.insts.1 = insts;
            block.edges.1 = edges;
            block.catches = (edges, edges);
        }
    }

    /// Keeps what locals and stack hold for a block.
    fn save(&mut self, number: u32) -> Result<()> {
        let places = self.saved.len() + self.locals.len() + self.stack.len();
        if places > MOST_PLACES {
            return Err(Trouble::TooComplex);
        }
        let join = &mut self.joins[number as usize];
        join.state = self.saved.len() as u32;
        join.depth = self.stack.len() as u32;
        self.saved.extend_from_slice(self.locals);
        self.saved.extend_from_slice(self.stack);
        Ok(())
    }

    /// Does this block get parameters?
    fn is_join(&self, number: u32) -> bool {
        match self.blocks.blocks.get(number as usize) {
            Some(raw) => raw.handles || raw.before > 1 || (number == 0 && raw.before > 0),
            None => true,
        }
    }

    /// An edge from here to a block; for a catch edge the stack is the exception alone.
    fn arrive(&mut self, number: u32, caught: Option<Caught>) -> Result<()> {
        let Some(join) = self.joins.get(number as usize).copied() else {
            return malformed("the code runs off its end");
        };
        if caught.is_some() {
            self.stack.clear();
            self.stack.push(Reg::CAUGHT);
        } else if number as usize >= self.blocks.blocks.len() {
            return malformed("the code runs off its end");
        }
        let arguments = self.draft.arguments.len() as u32;
        if self.is_join(number) {
            self.meet(number, join)?;
        } else {
            self.save(number)?;
        }
        let count = self.draft.arguments.len() as u32 - arguments;
        if self.draft.arguments.len() > MOST_ARGUMENTS {
            return Err(Trouble::TooComplex);
        }
        let caught = caught.unwrap_or(Caught::Any);
        self.draft.edges.push(DraftEdge { target: number, arguments, count, caught });
        Ok(())
    }

    /// Gives arguments to a block with parameters, which are made when the first edge arrives.
    fn meet(&mut self, number: u32, join: Join) -> Result<()> {
        let live = self.live;
        let first = join.state == NONE;
        if first && join.done {
            return malformed("a handler is reached by a jump back");
        }
        if first {
            let params = self.draft.kinds.len() as u32;
            for index in 0..self.stack.len() {
                let kind = self.draft.kind(self.stack[index]);
                self.draft.reg(kind, false);
            }
            for local in live.at(number) {
                let reg = self.locals[usize::from(local)];
                if reg == Reg::NONE {
                    return malformed("a local may be read before it is written");
                }
                let kind = self.draft.kind(reg);
                self.draft.reg(kind, false);
            }
            self.save(number)?;
            self.joins[number as usize].params = (params, self.draft.kinds.len() as u32 - params);
        } else {
            if join.depth as usize != self.stack.len() {
                return malformed("stacks of different depth meet");
            }
            self.compare(join)?;
        }
        let params = self.joins[number as usize].params.0;
        for index in 0..self.stack.len() {
            let reg = self.stack[index];
            self.give(reg, params + index as u32)?;
        }
        for (param, local) in (params + self.stack.len() as u32..).zip(live.at(number)) {
            let reg = self.locals[usize::from(local)];
            self.give(reg, param)?;
        }
        Ok(())
    }

    fn give(&mut self, reg: Reg, param: u32) -> Result<()> {
        if reg == Reg::NONE {
            return malformed("a local may be read before it is written");
        }
        if self.draft.kind(reg) != self.draft.kind(Reg(param)) {
            return malformed("values of different kinds meet");
        }
        self.draft.arguments.push(reg);
        Ok(())
    }

    /// What locals without parameters hold must be the same on all edges; where it is not, they hold nothing.
    fn compare(&mut self, join: Join) -> Result<()> {
        let saved = self.saved.get_mut(join.state as usize..).unwrap_or_default();
        let mut wrong = false;
        for (number, (place, reg)) in saved.iter_mut().zip(&*self.locals).enumerate() {
            if *place != *reg {
                if !join.done {
                    *place = Reg::NONE;
                } else if *place != Reg::NONE && !self.live.is_asked(number as u16) {
                    wrong = true;
                }
            }
        }
        if wrong { malformed("a local is not written on all paths") } else { Ok(()) }
    }

    fn block(&mut self, number: u32) -> Result<()> {
        let Join { state, depth, params, .. } = self.joins[number as usize];
        self.joins[number as usize].done = true;
        if state == NONE {
            return Ok(()); // nothing in front of it can throw after all
        }
        let (start, size) = (state as usize, self.locals.len());
        self.locals.copy_from_slice(&self.saved[start..start + size]);
        self.stack.clear();
        let entry = number == 0 && !self.is_join(0);
        if self.is_join(number) {
            self.stack.extend((params.0..params.0 + depth).map(Reg));
            for (local, param) in self.live.at(number).zip(params.0 + depth..) {
                self.locals[usize::from(local)] = Reg(param);
            }
        } else {
            self.stack.extend_from_slice(&self.saved[start + size..start + size + depth as usize]);
        }
        let own = self.is_join(number) || (entry && !self.synchronized);
        self.open(number, if own { params } else { (0, 0) });
        self.threw = false;
        let blocks = self.blocks;
        let raw = blocks.blocks[number as usize];
        let insts = &blocks.insts[raw.start as usize..raw.end as usize];
        if let Some((pc, _)) = insts.first() {
            self.place(*pc);
        }
        for (pc, instruction) in insts {
            self.move_to(*pc);
            self.step(instruction)?;
        }
        self.end(&raw)?;
        self.close();
        if self.threw || self.careful {
            for catch in blocks.catches(&raw) {
                let caught = match catch.class {
                    0 => Caught::Any,
                    class => Caught::Class(self.constants.class(class)?),
                };
                self.arrive(catch.target, Some(caught))?;
            }
            let edges = self.draft.edges.len() as u32;
            if let Some(block) = self.draft.blocks.last_mut() {
                block.catches.1 = edges;
            }
        }
        Ok(())
    }

    /// Pc and line of the next instruction of a block.
    fn move_to(&mut self, pc: u16) {
        self.pc = pc;
        while let Some((_, line)) = self.lines.get(self.next_line).filter(|line| line.0 <= pc) {
            self.line = *line;
            self.next_line += 1;
        }
    }

    /// The block's last instruction, if it is about control, and the edges.
    fn end(&mut self, raw: &Raw) -> Result<()> {
        let blocks = self.blocks;
        let last = blocks.insts.get(raw.end as usize - 1).map(|last| last.1);
        match last {
            Some(Instruction::Branch { opcode: op::GOTO, .. }) => {
                self.emit(Op::Jump, None, false);
            }
            Some(Instruction::Branch { opcode: op::JSR, .. }) => {
                // The address is a value that nobody looks at: each copy knows where it goes back to.
                self.make(Op::Null, Kind::Ref)?;
                self.emit(Op::Jump, None, false);
            }
            Some(Instruction::Branch { opcode, .. }) => self.branch(opcode)?,
            Some(Instruction::Switch(switch)) => {
                let value = self.pop(Kind::Int)?;
                let start = self.draft.keys.len() as u32;
                self.draft.keys.extend(switch.cases().map(|(key, _)| key));
                let count = self.draft.keys.len() as u32 - start;
                self.emit(Op::Switch { value, keys: List { start, count } }, None, false);
            }
            Some(Instruction::Plain(opcode)) if op::is_return(opcode) => self.leave(opcode)?,
            Some(Instruction::Plain(op::ATHROW)) => {
                let value = self.pop(Kind::Ref)?;
                self.emit(Op::Throw { value }, None, false);
                self.threw = true;
            }
            _ => {
                self.emit(Op::Jump, None, false);
            }
        }
        for target in blocks.after(raw) {
            self.arrive(*target, None)?;
        }
        Ok(())
    }

    fn leave(&mut self, opcode: u8) -> Result<()> {
        let kind = match opcode {
            op::IRETURN => Some(Kind::Int),
            op::LRETURN => Some(Kind::Long),
            op::FRETURN => Some(Kind::Float),
            op::DRETURN => Some(Kind::Double),
            op::ARETURN => Some(Kind::Ref),
            _ => None,
        };
        if kind != self.result {
            return malformed("what is returned does not fit the descriptor");
        }
        let value = match kind {
            Some(kind) => self.pop(kind)?,
            None => Reg::NONE,
        };
        if self.synchronized {
            self.emit(Op::Exit { object: self.lock }, None, false);
        }
        self.emit(Op::Return { value }, None, false);
        Ok(())
    }
}
