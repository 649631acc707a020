//! Which field the array, object or lock comes from that an instruction uses, where the code of the method tells: what is
//! found at `this.table[3]` is known to people as `table`, not as an `int[]`. Of a call it is the receiver's field; a view
//! of a read/write lock is its lock. A class that the code names is known by its name. What comes as a parameter, is
//! returned by another call or was made here has none, and neither has what may come from two fields.
//!
//! Only names come from here: nothing that is told or left out depends on it.

use classfile::{Code, Constant, Instruction, Kind as Moves, MethodType, Pool, Result, op, text};

use crate::blocks::Graph;
use crate::stack::element_below;
use crate::walk::{Known, State, Steps, Walk};

/// Instructions that are looked at, those in loops again.
const MOST_STEPS: usize = 100_000;
/// The longest code that is looked at.
const LONGEST: usize = 8000;

/// Where something comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A field by its constant, and how many times an element was taken from what it holds.
    Field(u16, u8),
    /// A class as an object, by its constant.
    Class(u16),
}

/// Where something comes from, if that is known.
type From = Option<Origin>;

impl Known for From {
    fn meet(&mut self, other: From) -> bool {
        let goes = self.is_some() && *self != other;
        if goes {
            *self = None;
        }
        goes
    }
}

/// The fields behind a method's array accesses, calls and monitors, by pc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken(Vec<(u32, Origin)>);

impl Taken {
    /// `pkg.Class.field`, `pkg.Class.field[]` for an element of it, or `pkg.Class.class`; empty where there is none.
    pub fn name(&self, pc: u32, pool: &Pool<'_>) -> Result<String> {
        let Ok(at) = self.0.binary_search_by_key(&pc, |(pc, _)| *pc) else { return Ok(String::new()) };
        Ok(match self.0.get(at) {
            None => String::new(),
            Some((_, Origin::Class(class))) => class_object(pool.class_name(*class)?),
            Some((_, Origin::Field(member, depth))) => {
                let field = pool.member_ref(*member)?;
                let owner = text::to_str(field.owner).replace('/', ".");
                format!("{owner}.{}{}", text::to_str(field.name), "[]".repeat(usize::from(*depth)))
            }
        })
    }
}

/// A class as an object, as people write it.
pub(crate) fn class_object(name: &[u8]) -> String {
    format!("{}.class", text::to_str(name).replace('/', "."))
}

/// Finds them.
pub(crate) fn find(code: &Code<'_>, pool: &Pool<'_>) -> Result<Taken> {
    let bytes = code.bytes;
    let sources = [op::GETFIELD, op::GETSTATIC, op::MONITORENTER];
    if bytes.len() > LONGEST || !sources.iter().any(|opcode| bytes.contains(opcode)) {
        return Ok(Taken::default());
    }
    let Some(graph) = Graph::new(code)? else { return Ok(Taken::default()) };
    let Some(mut walk) = Walk::new(&graph, code, MOST_STEPS) else { return Ok(Taken::default()) };
    let mut look = Look { pool, found: Vec::new() };
    Ok(if look.run(&mut walk).is_some() { Taken(look.found) } else { Taken::default() })
}

/// Is it a call that hands out a view of the read/write lock it is called on?
fn is_view(pool: &Pool<'_>, member: u16) -> bool {
    pool.member_ref(member).is_ok_and(|called| {
        called.owner.starts_with(b"java/util/concurrent/locks/")
            && called.descriptor.starts_with(b"()L")
            && matches!(
                called.name,
                b"readLock" | b"writeLock" | b"asReadLock" | b"asWriteLock" | b"asReadWriteLock"
            )
    })
}

struct Look<'l> {
    pool: &'l Pool<'l>,
    found: Vec<(u32, Origin)>,
}

impl Look<'_> {
    /// `None`: it would take too long, or the code is not what it should be.
    fn run(&mut self, walk: &mut Walk<'_, '_>) -> Option<()> {
        let states = walk.states(self)?;
        // What was found on the way may have been too much.
        self.found.clear();
        walk.again(states, self)?;
        self.found.sort_unstable_by_key(|(pc, _)| *pc);
        Some(())
    }

    fn use_at(&mut self, pc: u32, from: From) {
        self.found.extend(from.map(|from| (pc, from)));
    }
}

impl Steps for Look<'_> {
    type Value = From;

    fn step(&mut self, pc: u32, instruction: &Instruction<'_>, state: &mut State<From>) {
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
                    let deeper = |origin| match origin {
                        Origin::Field(field, depth) => Some(Origin::Field(field, depth.checked_add(1)?)),
                        Origin::Class(_) => None,
                    };
                    return stack.push(array.and_then(deeper));
                }
            }
            Instruction::Plain(op::MONITORENTER) => self.use_at(pc, stack.top()),
            Instruction::Field { opcode: opcode @ (op::GETFIELD | op::GETSTATIC), member } => {
                if let Ok([b'L' | b'[', ..]) = self.pool.descriptor_of(member) {
                    if opcode == op::GETFIELD {
                        stack.pop();
                    }
                    return stack.push(Some(Origin::Field(member, 0)));
                }
            }
            Instruction::Invoke { opcode, member }
                if !matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC) =>
            {
                let slots = self.pool.descriptor_of(member).ok().and_then(MethodType::parse);
                if let Some(slots) = slots {
                    self.use_at(pc, stack.peek(slots.parameter_slots() as usize));
                }
                // It takes nothing but the lock, and the view stands for that.
                if is_view(self.pool, member) {
                    return;
                }
            }
            Instruction::Constant(index) if matches!(self.pool.get(index), Ok(Constant::Class { .. })) => {
                return stack.push(Some(Origin::Class(index)));
            }
            Instruction::CheckCast(_) => return,
            _ => {}
        }
        stack.run(instruction, self.pool);
    }
}
