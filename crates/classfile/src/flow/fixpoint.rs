//! Types for methods without stack-map frames (before version 50): blocks are run until nothing changes. Subroutines
//! (`jsr`) are followed; what their callers disagree about is `Top` or `SomeObject` after them, never wrong.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::machine::Machine;
use super::state::State;
use crate::code::Code;
use crate::error::{Error, Reason, Result};
use crate::instruction::{Instruction, decode};
use crate::op;
use crate::value::{ClassRef, Value};

/// Value operations one method may take. Real methods take thousands; hostile ones are cut off.
const FUEL: usize = 50_000_000;
/// Values kept for all block starts of one method.
const ROOM: usize = 4_000_000;

/// The types at the start of every block that is reached.
pub(super) type Heads = FxHashMap<u32, State>;

struct Work<'m, 'c> {
    machine: &'m mut Machine<'c>,
    heads: Heads,
    todo: BTreeSet<u32>,
    fuel: usize,
    room: usize,
}

/// Where blocks start, and for each subroutine the pcs behind its calls.
struct Shape {
    leaders: FxHashSet<u32>,
    returns: FxHashMap<u32, Vec<u32>>,
}

fn shape(code: &Code<'_>) -> Result<Shape> {
    let mut found = Shape { leaders: FxHashSet::default(), returns: FxHashMap::default() };
    let mut steps = code.instructions();
    while let Some(step) = steps.next() {
        match step?.1 {
            Instruction::Branch { opcode, target } => {
                found.leaders.insert(target);
                if opcode == op::JSR {
                    found.leaders.insert(steps.next_pc());
                    found.returns.entry(target).or_default().push(steps.next_pc());
                }
            }
            Instruction::Switch(switch) => found.leaders.extend(switch.targets()),
            _ => {}
        }
    }
    for handler in code.handlers() {
        // A range's borders start blocks too, so that each block is covered by the same handlers throughout.
        found.leaders.extend([handler.start, handler.end, handler.target].map(u32::from));
    }
    Ok(found)
}

/// Finds the types at all block starts.
pub(super) fn heads(machine: &mut Machine<'_>, code: &Code<'_>, initial: State) -> Result<Heads> {
    let shape = shape(code)?;
    let mut work = Work { machine, heads: Heads::default(), todo: BTreeSet::new(), fuel: FUEL, room: ROOM };
    work.flow_to(0, &initial)?;
    while let Some(start) = work.todo.pop_first() {
        work.block(start, code, &shape)?;
    }
    Ok(work.heads)
}

impl Work<'_, '_> {
    fn burn(&mut self, amount: usize, pc: u32) -> Result<()> {
        match self.fuel.checked_sub(amount + 1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Error { offset: self.machine.offset + pc as usize, reason: Reason::TooComplex }),
        }
    }

    fn block(&mut self, start: u32, code: &Code<'_>, shape: &Shape) -> Result<()> {
        let Some(mut state) = self.heads.get(&start).cloned() else { return Ok(()) };
        self.burn(state.locals.len(), start)?;
        let handlers: Vec<_> = code
            .handlers()
            .filter(|handler| (u32::from(handler.start)..u32::from(handler.end)).contains(&start))
            .collect();
        self.burn(code.handlers().len(), start)?;
        state.touched = true;
        let mut pc = start;
        loop {
            if state.touched {
                for handler in &handlers {
                    let caught = if handler.catch_type == 0 {
                        self.machine.names.refer(std::borrow::Cow::Borrowed(b"java/lang/Throwable"))
                    } else {
                        ClassRef::constant(handler.catch_type)
                    };
                    let stack = std::mem::replace(&mut state.stack, vec![Value::Object(caught)]);
                    self.flow_to(u32::from(handler.target), &state)?;
                    state.stack = stack;
                }
                state.touched = false;
            }
            self.burn(0, pc)?;
            let (instruction, length) = decode(code.bytes, pc as usize, code.offset)?;
            self.machine.run(&mut state, pc, &instruction)?;
            match instruction {
                Instruction::Branch { opcode, target } => {
                    self.flow_to(target, &state)?;
                    if matches!(opcode, op::GOTO | op::JSR) {
                        return Ok(());
                    }
                }
                Instruction::Switch(switch) => {
                    for target in switch.targets() {
                        self.flow_to(target, &state)?;
                    }
                    return Ok(());
                }
                Instruction::Ret { local } => {
                    if let Value::ReturnAddress(entry) = state.local(local) {
                        for behind in shape.returns.get(&u32::from(entry)).into_iter().flatten() {
                            self.flow_to(*behind, &state)?;
                        }
                    }
                    return Ok(());
                }
                Instruction::Plain(opcode) if !op::falls_through(opcode) => return Ok(()),
                _ => {}
            }
            pc += length as u32;
            if pc as usize >= code.bytes.len() {
                return Err(Error::malformed(code.offset + pc as usize, "the code runs over its end"));
            }
            if shape.leaders.contains(&pc) {
                return self.flow_to(pc, &state);
            }
        }
    }

    /// `state` reaches the block at `pc`.
    fn flow_to(&mut self, pc: u32, state: &State) -> Result<()> {
        self.burn(state.locals.len() + state.stack.len(), pc)?;
        let Some(mut head) = self.heads.remove(&pc) else {
            let Some(room) = self.room.checked_sub(state.locals.len() + state.stack.len()) else {
                return Err(Error { offset: self.machine.offset, reason: Reason::TooComplex });
            };
            self.room = room;
            self.heads.insert(pc, state.clone());
            self.todo.insert(pc);
            return Ok(());
        };
        let same_depth = head.stack.len() == state.stack.len();
        let changed = self.merge(&mut head, state);
        self.heads.insert(pc, head);
        if changed {
            self.todo.insert(pc);
        }
        if same_depth {
            Ok(())
        } else {
            Err(Error::malformed(self.machine.offset + pc as usize, "the stack has two depths here"))
        }
    }

    fn merge(&self, head: &mut State, state: &State) -> bool {
        let mut changed = head.locals.len() > state.locals.len();
        head.locals.truncate(state.locals.len());
        let locals = head.locals.iter_mut().zip(&state.locals);
        for (mine, other) in locals.chain(head.stack.iter_mut().zip(&state.stack)) {
            let merged = self.join(*mine, *other);
            changed |= merged != *mine;
            *mine = merged;
        }
        // The second half of a long that is no more.
        let mut wide = false;
        for value in &mut head.locals {
            if *value == Value::Second && !wide {
                *value = Value::Top;
                changed = true;
            }
            wide = value.is_wide();
        }
        changed
    }

    fn join(&self, one: Value, other: Value) -> Value {
        use Value::{Null, Object, SomeObject, Top};
        match (one, other) {
            _ if one == other => one,
            (Object(a), Object(b)) if self.machine.names.same(self.machine.pool, a, b) => one,
            (Null, Object(_) | SomeObject) => other,
            (Object(_) | SomeObject, Null) => one,
            (Object(_) | SomeObject, Object(_) | SomeObject) => SomeObject,
            _ => Top,
        }
    }
}
