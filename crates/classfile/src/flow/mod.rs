//! The types of locals and operand stack before each instruction: from the StackMapTable where there is one, by a
//! fixpoint for classes before version 50 and code without it. Nothing is verified, and no class hierarchy is needed:
//! where different classes meet there is "some object".
//!
//! The walk goes forward and keeps one state, so that it is linear in the code whatever the frames say. Subroutines
//! (`jsr`/`ret`) are followed; a local that their callers leave in different types is `Top` or `SomeObject` after them.

mod fixpoint;
mod machine;
mod state;

use machine::Machine;
pub use state::State;

use crate::class::{Class, Member};
use crate::code::Code;
use crate::error::{Error, Result};
use crate::frames::{Change, Frames};
use crate::instruction::{Instruction, decode};
use crate::op;
use crate::value::{ClassRef, Names, Value, initial_locals};

/// A walk over a method that knows the types before each instruction.
pub struct Flow<'c> {
    machine: Machine<'c>,
    class: &'c Class<'c>,
    method: &'c Member<'c>,
    source: Source<'c>,
    state: State,
    /// Is `state` that of the instruction at `pc`? If not, that one is not reached.
    reached: bool,
    pc: usize,
    /// The instruction handed out last, which has not been run yet.
    pending: Option<(u32, Instruction<'c>)>,
}

enum Source<'c> {
    /// The file's frames, the pc of the one that comes next, and the slots of the one before.
    Frames { frames: Frames<'c>, next: Option<(u32, Change)>, slots: usize },
    /// Types at block starts.
    Heads(fixpoint::Heads),
}

/// One instruction and what is known before it.
pub struct Step<'f, 'c> {
    /// Where it stands.
    pub pc: u32,
    /// What it is.
    pub instruction: Instruction<'c>,
    /// The types before it; `None` if it can never run.
    pub state: Option<&'f State>,
}

impl<'c> Flow<'c> {
    /// Prepares the walk over a method of `class`; `None` if it has no code.
    pub fn new(class: &'c Class<'c>, method: &'c Member<'c>) -> Result<Option<Flow<'c>>> {
        match class.code(method)? {
            Some(code) => Flow::over(class, method, &code).map(Some),
            None => Ok(None),
        }
    }

    pub(crate) fn over(class: &'c Class<'c>, method: &'c Member<'c>, code: &Code<'c>) -> Result<Flow<'c>> {
        let mut machine = Machine {
            pool: &class.pool,
            names: Names::default(),
            code: code.bytes,
            offset: code.offset,
            max_locals: code.max_locals,
            max_stack: code.max_stack,
            this_class: class.this_class,
        };
        let initial = initial_locals(class, method, &mut machine.names)?;
        let mut state = State::default();
        for value in &initial {
            state.push_local(*value);
        }
        if state.locals.len() > usize::from(code.max_locals) {
            return Err(Error::malformed(code.offset, "the parameters do not fit into the locals"));
        }
        let table = if class.major >= 50 { frame_table(class, code) } else { None };
        let source = match table {
            Some((body, offset)) => {
                let mut frames = Frames::new(crate::bytes::Cursor::new(body, offset), initial)?;
                let next = frames.next()?;
                state.undo = Some(Vec::new());
                Source::Frames { frames, next, slots: state.locals.len() }
            }
            None => Source::Heads(fixpoint::heads(&mut machine, code, state.clone())?),
        };
        Ok(Flow { machine, class, method, source, state, reached: true, pc: 0, pending: None })
    }

    /// The next instruction with the types before it.
    #[allow(clippy::should_implement_trait)] // it lends its state, which an iterator cannot
    pub fn next(&mut self) -> Result<Option<Step<'_, 'c>>> {
        self.finish_step()?;
        if self.pc >= self.machine.code.len() {
            return Ok(None);
        }
        let pc = self.pc as u32;
        self.arrive(pc)?;
        let (instruction, length) = decode(self.machine.code, self.pc, self.machine.offset)?;
        self.pc += length;
        self.pending = Some((pc, instruction));
        Ok(Some(Step { pc, instruction, state: self.reached.then_some(&self.state) }))
    }

    /// The types before the instruction at `pc`; `None` if it can never run. Cheap when pcs are asked for in ascending
    /// order; otherwise the walk starts again.
    pub fn before(&mut self, pc: u32) -> Result<Option<&State>> {
        match self.pending {
            Some((here, _)) if here == pc => return Ok(self.reached.then_some(&self.state)),
            Some((here, _)) if here > pc => self.restart()?,
            None if self.pc > 0 => self.restart()?,
            _ => {}
        }
        while let Some(step) = self.next()? {
            if step.pc == pc {
                return Ok(self.reached.then_some(&self.state));
            }
            if step.pc > pc {
                break;
            }
        }
        Err(Error::refused(self.machine.offset + pc as usize, "no instruction starts here"))
    }

    fn restart(&mut self) -> Result<()> {
        let code = self.class.code(self.method)?;
        if let Some(code) = code {
            *self = Flow::over(self.class, self.method, &code)?;
        }
        Ok(())
    }

    /// Runs the instruction handed out last.
    fn finish_step(&mut self) -> Result<()> {
        let Some((pc, instruction)) = self.pending.take() else { return Ok(()) };
        if !self.reached {
            return Ok(());
        }
        self.machine.run(&mut self.state, pc, &instruction)?;
        self.reached = match instruction {
            Instruction::Branch { opcode, .. } => !matches!(opcode, op::GOTO | op::JSR),
            Instruction::Switch(_) | Instruction::Ret { .. } => false,
            Instruction::Plain(opcode) => op::falls_through(opcode),
            _ => true,
        };
        Ok(())
    }

    /// Takes over what is told of `pc` itself.
    fn arrive(&mut self, pc: u32) -> Result<()> {
        match &mut self.source {
            Source::Heads(heads) => {
                if let Some(head) = heads.get(&pc) {
                    self.state.clone_from(head);
                    self.reached = true;
                }
            }
            Source::Frames { frames, next, slots } => match *next {
                Some((at, change)) if at == pc => {
                    take_frame(&mut self.state, *slots, frames, change);
                    *slots = self.state.locals.len();
                    if self.state.locals.len() > usize::from(self.machine.max_locals) {
                        let offset = self.machine.offset + pc as usize;
                        return Err(Error::malformed(offset, "a frame has more locals than the method"));
                    }
                    self.reached = true;
                    *next = frames.next()?;
                }
                Some((at, _)) if at < pc => {
                    let offset = self.machine.offset + at as usize;
                    return Err(Error::malformed(offset, "a stack-map frame stands within an instruction"));
                }
                _ => {}
            },
        }
        Ok(())
    }

    /// The name of a class in a [`Value::Object`].
    pub fn class_name(&self, class: ClassRef) -> Result<&[u8]> {
        self.machine.names.name(self.machine.pool, class)
    }

    pub(crate) fn into_names(self) -> Names {
        self.machine.names
    }
}

/// Body and offset of the code's StackMapTable.
fn frame_table<'c>(class: &Class<'_>, code: &Code<'c>) -> Option<(&'c [u8], usize)> {
    let attribute = code.attribute(&class.pool, b"StackMapTable")?;
    match &attribute.body {
        std::borrow::Cow::Borrowed(body) => Some((body, attribute.offset)),
        std::borrow::Cow::Owned(_) => None, // code attributes are always borrowed from the code
    }
}

/// The locals go back to those of the frame before (which had that many slots), then become those of this one.
fn take_frame(state: &mut State, slots: usize, frames: &Frames<'_>, change: Change) {
    for (slot, value) in state.undo.iter_mut().flat_map(|undo| undo.drain(..).rev()) {
        if let Some(place) = state.locals.get_mut(usize::from(slot)) {
            *place = value;
        }
    }
    state.locals.truncate(slots);
    match change {
        Change::Same => {}
        Change::Chop(count) => {
            for _ in 0..count {
                if state.locals.pop() == Some(Value::Second) {
                    state.locals.pop();
                }
            }
        }
        Change::Append(count) => {
            for value in frames.locals.iter().skip(frames.locals.len() - usize::from(count)) {
                state.push_local(*value);
            }
        }
        Change::Full => {
            state.locals.clear();
            for value in &frames.locals {
                state.push_local(*value);
            }
        }
    }
    state.stack.clear();
    state.stack.extend_from_slice(&frames.stack);
}
