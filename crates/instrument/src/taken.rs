//! Which field the array or object comes from that an instruction uses, where the code of the method tells: what is found
//! at `this.table[3]` is known to people as `table`, not as an `int[]`. Of a call it is the receiver's field. What comes
//! as a parameter, is returned by a call or was made here has none, and neither has what may come from two fields.
//!
//! Only names come from here: nothing that is told or left out depends on it.

use classfile::{Code, Instruction, Kind as Moves, MethodType, Pool, Result, op, text};

use crate::blocks::{Graph, Way};
use crate::stack::{Stack, element_below};

/// Words of state for one method.
const MOST_STATE: usize = 200_000;
/// Instructions that are looked at, those in loops again.
const MOST_STEPS: usize = 100_000;
/// The longest code that is looked at.
const LONGEST: usize = 8000;

/// A field by its constant, and how many times an element was taken from what it holds.
type From = Option<(u16, u8)>;

/// The fields behind a method's array accesses, calls and monitors, by pc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken(Vec<(u32, (u16, u8))>);

impl Taken {
    /// `pkg.Class.field`, or `pkg.Class.field[]` for an element of it; empty where there is none.
    pub fn name(&self, pc: u32, pool: &Pool<'_>) -> Result<String> {
        let Ok(at) = self.0.binary_search_by_key(&pc, |(pc, _)| *pc) else { return Ok(String::new()) };
        let Some((_, (member, depth))) = self.0.get(at) else { return Ok(String::new()) };
        let field = pool.member_ref(*member)?;
        let owner = text::to_str(field.owner).replace('/', ".");
        Ok(format!("{owner}.{}{}", text::to_str(field.name), "[]".repeat(usize::from(*depth))))
    }
}

/// Finds them.
pub(crate) fn find(code: &Code<'_>, pool: &Pool<'_>) -> Result<Taken> {
    let bytes = code.bytes;
    if bytes.len() > LONGEST || ![op::GETFIELD, op::GETSTATIC].iter().any(|opcode| bytes.contains(opcode)) {
        return Ok(Taken::default());
    }
    let Some(graph) = Graph::new(code)? else { return Ok(Taken::default()) };
    let locals = usize::from(code.max_locals);
    if graph.blocks.len() * (locals + usize::from(code.max_stack)) > MOST_STATE {
        return Ok(Taken::default());
    }
    let mut look = Look { graph: &graph, pool, steps: 0, found: Vec::new() };
    let found = look.run(locals).unwrap_or_default();
    Ok(Taken(found))
}

/// What is known where a block begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<From>,
    stack: Stack<From>,
}

impl State {
    /// Keeps what is the same on another way here; has anything gone? `None`: the two do not fit together.
    fn meet(&mut self, other: &State) -> Option<bool> {
        if self.stack.slots().len() != other.stack.slots().len() {
            return None;
        }
        let mut changed = meet_all(&mut self.locals, &other.locals);
        changed |= meet_all(self.stack.slots_mut(), other.stack.slots());
        Some(changed)
    }
}

fn meet_all(mine: &mut [From], others: &[From]) -> bool {
    let mut changed = false;
    for (mine, other) in mine.iter_mut().zip(others) {
        if mine.is_some() && *mine != *other {
            *mine = None;
            changed = true;
        }
    }
    changed
}

struct Look<'l, 'c> {
    graph: &'l Graph<'c>,
    pool: &'l Pool<'l>,
    steps: usize,
    found: Vec<(u32, (u16, u8))>,
}

impl Look<'_, '_> {
    /// `None`: it would take too long, or the code is not what it should be.
    fn run(&mut self, locals: usize) -> Option<Vec<(u32, (u16, u8))>> {
        let mut states: Vec<Option<State>> = vec![None; self.graph.blocks.len()];
        *states.first_mut()? = Some(State { locals: vec![None; locals], stack: Stack::default() });
        let mut todo = vec![0];
        while let Some(block) = todo.pop() {
            let state = states.get(block)?.clone()?;
            for (to, reached) in self.block(block, state)? {
                let place = states.get_mut(to)?;
                let changed = match place {
                    Some(known) => known.meet(&reached)?,
                    None => {
                        *place = Some(reached);
                        true
                    }
                };
                if changed && !todo.contains(&to) {
                    todo.push(to);
                }
            }
        }
        // What was found on the way may have been too much.
        self.found.clear();
        for (block, state) in states.into_iter().enumerate() {
            if let Some(state) = state {
                self.block(block, state)?;
            }
        }
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable();
        Some(found)
    }

    /// Runs a block; where control goes from it, with what is known there.
    fn block(&mut self, block: usize, mut state: State) -> Option<Vec<(usize, State)>> {
        let found = self.graph.blocks.get(block)?;
        let steps = self.graph.steps.get(found.first..found.behind)?;
        self.steps += steps.len() + 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        // A handler finds what was the same at every instruction.
        let catches = found.out.iter().any(|edge| edge.way == Way::Thrown);
        let mut at_all = if catches { state.locals.clone() } else { Vec::new() };
        for (pc, instruction) in steps {
            self.step(*pc, instruction, &mut state);
            if catches && matches!(instruction, Instruction::Store { .. }) {
                meet_all(&mut at_all, &state.locals);
            }
        }
        let reached = found.out.iter().map(|edge| {
            let state = match edge.way {
                Way::Thrown => State { locals: at_all.clone(), stack: Stack::from(vec![None]) },
                _ => state.clone(),
            };
            (edge.to, state)
        });
        Some(reached.collect())
    }

    fn use_at(&mut self, pc: u32, from: From) {
        self.found.extend(from.map(|from| (pc, from)));
    }

    fn step(&mut self, pc: u32, instruction: &Instruction<'_>, state: &mut State) {
        let State { locals, stack } = state;
        match *instruction {
            Instruction::Load { kind: Moves::Reference, local } => {
                return stack.push(locals.get(usize::from(local)).copied().flatten());
            }
            Instruction::Store { kind, local } => {
                let value = stack.top();
                for slot in locals.iter_mut().skip(usize::from(local)).take(usize::from(kind.slots())) {
                    *slot = if kind == Moves::Reference { value } else { None };
                }
            }
            Instruction::Plain(opcode @ (op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE)) => {
                let array = stack.peek(element_below(opcode) + 1);
                self.use_at(pc, array);
                if opcode == op::AALOAD {
                    stack.pop();
                    stack.pop();
                    let deeper = |(field, depth): (u16, u8)| Some((field, depth.checked_add(1)?));
                    return stack.push(array.and_then(deeper));
                }
            }
            Instruction::Plain(op::MONITORENTER) => self.use_at(pc, stack.top()),
            Instruction::Field { opcode: opcode @ (op::GETFIELD | op::GETSTATIC), member } => {
                if let Ok([b'L' | b'[', ..]) = self.pool.descriptor_of(member) {
                    if opcode == op::GETFIELD {
                        stack.pop();
                    }
                    return stack.push(Some((member, 0)));
                }
            }
            Instruction::Invoke { opcode, member }
                if !matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC) =>
            {
                let slots = self.pool.descriptor_of(member).ok().and_then(MethodType::parse);
                if let Some(slots) = slots {
                    self.use_at(pc, stack.peek(slots.parameter_slots() as usize));
                }
            }
            Instruction::CheckCast(_) => return,
            _ => {}
        }
        stack.run(instruction, self.pool);
    }
}
