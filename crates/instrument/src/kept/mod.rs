//! Objects and arrays that a method makes and keeps to itself: nobody else can ever see one, so nothing is told of its
//! fields and elements, and the JVM may do without the object as it would unwatched.
//!
//! A value is the set of the places (`new`) at which it may have been made. It leaves the method's hands when it is
//! returned, thrown, handed to a call, or stored in something that is not in the method's hands itself; its own
//! constructor is the one call that may have it, and whether that one keeps it is known when its class is woven
//! (`members.rs`, `$raddle$keeps`): at once for the class itself, when the access is first run for others. What is read from
//! a kept array is what was stored in it. What is read from a field of a kept object is that too if the class is *blank*:
//! if its constructors leave all references null. Monitors are told as ever. Calls are not followed.

use classfile::{Code, Instruction, Kind as Moves, MethodType, Pool, Result, op};

use rustc_hash::FxHashMap;

use crate::blocks::Graph;
use crate::stack::{Stack, element_below};
use crate::walk::{Known, State, Steps, Walk};

/// Places that are told apart in one method; objects of any more are like those from elsewhere.
const MOST_PLACES: usize = 63;
/// Instructions that are looked at, those in loops again.
const MOST_STEPS: usize = 200_000;
/// The longest code that is looked at: the JVM does not compile longer methods, and nothing is gained in them.
const LONGEST: usize = 8000;

/// The places at which a value may have been made, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Made(u64);

impl Made {
    /// Nothing: null.
    const NULL: Made = Made(0);
    const ELSEWHERE: Made = Made(1 << MOST_PLACES);
}

impl Default for Made {
    fn default() -> Self {
        Made::ELSEWHERE
    }
}

impl Known for Made {
    fn meet(&mut self, other: Made) -> bool {
        let new = other.0 & !self.0 != 0;
        self.0 |= other.0;
        new
    }
}

/// Is there anything to be found? Quickly, since there is not in most methods.
fn is_worth_it(code: &Code<'_>, pool: &Pool<'_>) -> Result<bool> {
    let bytes = code.bytes;
    if bytes.len() > LONGEST
        || ![op::NEW, op::NEWARRAY, op::ANEWARRAY].iter().any(|opcode| bytes.contains(opcode))
    {
        return Ok(false);
    }
    let (mut made, mut used): (Vec<u16>, Vec<u16>) = (Vec::new(), Vec::new());
    let (mut arrays, mut elements) = (false, false);
    for step in code.instructions() {
        match step?.1 {
            Instruction::New(class) => made.push(class),
            Instruction::NewArray(_) | Instruction::NewObjectArray(_) => arrays = true,
            Instruction::Field { opcode: op::GETFIELD | op::PUTFIELD, member } => used.push(member),
            Instruction::Plain(op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE) => elements = true,
            _ => {}
        }
    }
    for constants in [&mut made, &mut used] {
        constants.sort_unstable();
        constants.dedup();
    }
    let is_used = |class: &u16| {
        let Ok(name) = pool.class_name(*class) else { return false };
        used.iter().any(|member| pool.member_ref(*member).is_ok_and(|found| found.owner == name))
    };
    Ok(arrays && elements || made.iter().any(is_used))
}

/// A method's accesses to what it keeps to itself: pcs, ascending. Those to objects only if their constructors keep them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Whatever else is known.
    pub surely: Vec<u32>,
    /// If the class that the instruction names is blank.
    pub if_blank: Vec<u32>,
}

impl Kept {
    /// Is the access at this pc surely one of them?
    pub fn has(&self, pc: u32) -> bool {
        self.surely.binary_search(&pc).is_ok()
    }

    /// Is it one of them if the class that it names is blank?
    pub fn has_if_blank(&self, pc: u32) -> bool {
        self.if_blank.binary_search(&pc).is_ok()
    }
}

/// Finds them. `blank`: a class that is known to be blank.
pub(crate) fn find(code: &Code<'_>, pool: &Pool<'_>, blank: Option<&[u8]>) -> Result<Kept> {
    if !is_worth_it(code, pool)? {
        return Ok(Kept::default());
    }
    let Some(graph) = Graph::new(code)? else { return Ok(Kept::default()) };
    let Some(mut walk) = Walk::new(&graph, code, MOST_STEPS) else { return Ok(Kept::default()) };
    let mut places: Vec<u32> = Vec::new();
    for (pc, instruction) in &graph.steps {
        if matches!(
            instruction,
            Instruction::New(_) | Instruction::NewArray(_) | Instruction::NewObjectArray(_)
        ) && places.len() < MOST_PLACES
        {
            places.push(*pc);
        }
    }
    let mut look = Look {
        code,
        pool,
        places,
        blank: Blank::Only(blank),
        lost: 0,
        held: FxHashMap::default(),
        fields: Vec::new(),
        changed: false,
        asked: None,
        accesses: Vec::new(),
    };
    let surely = look.run(&mut walk).unwrap_or_default();
    let mut kept = Kept { surely, if_blank: Vec::new() };
    // Once more as if other classes were blank too: what then comes out is true if the one that mattered is.
    if let Some(Asked::One(class)) = look.asked.take() {
        look.start_again(Blank::All);
        walk.start_again();
        let found = look.run(&mut walk).unwrap_or_default();
        if look.asked == Some(Asked::One(class.clone())) {
            let of_class = |pc: &u32| match code.instruction_at(*pc) {
                Ok((Instruction::Field { member, .. }, _)) => {
                    pool.member_ref(member).is_ok_and(|member| member.owner == class)
                }
                _ => false,
            };
            kept.if_blank = found.into_iter().filter(|pc| !kept.has(*pc)).filter(of_class).collect();
        }
    }
    Ok(kept)
}

/// Which classes' objects have nothing but null in their fields when they are new.
#[derive(Clone, Copy)]
enum Blank<'b> {
    All,
    Only(Option<&'b [u8]>),
}

/// The classes of which it mattered, or would have, whether they are blank.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    One(Vec<u8>),
    Several,
}

/// Which part of an object or array holds something: a field by its number among [`Look::fields`], or 0 for elements.
type Part = usize;
const ELEMENTS: Part = 0;

struct Look<'l, 'c> {
    code: &'l Code<'c>,
    pool: &'l Pool<'l>,
    /// The pcs of the places.
    places: Vec<u32>,
    blank: Blank<'l>,
    /// The places whose objects have left the method's hands.
    lost: u64,
    /// What is in the parts of objects, by the number of the place.
    held: FxHashMap<(usize, Part), Made>,
    /// Name and descriptor of fields, counted from 1. A field may be named by several constants, also as one of a subclass.
    fields: Vec<(&'l [u8], &'l [u8])>,
    /// Has there been anything new in them, or has more been lost?
    changed: bool,
    /// Which class had to be blank.
    asked: Option<Asked>,
    /// Accesses with what they may access, in the last round.
    accesses: Vec<(u32, Made)>,
}

impl<'l> Look<'l, '_> {
    /// Forgets all.
    fn start_again(&mut self, blank: Blank<'l>) {
        (self.blank, self.lost, self.asked) = (blank, 0, None);
        self.held.clear();
    }

    /// `None`: it would take too long, or the code is not what it should be.
    fn run(&mut self, walk: &mut Walk<'_, '_>) -> Option<Vec<u32>> {
        loop {
            self.changed = false;
            let states = walk.states(self)?;
            self.accesses.clear();
            walk.again(states, self)?;
            self.lose_all();
            // What is in objects may have become more since it was read.
            if !self.changed {
                break;
            }
        }
        self.found()
    }

    /// What is in something that has left the method's hands has left them too.
    fn lose_all(&mut self) {
        let mut before = 0;
        while before != self.lost {
            before = self.lost;
            for ((place, _), made) in &self.held {
                if before >> place & 1 != 0 {
                    self.lost |= made.0;
                }
            }
            self.changed |= before != self.lost;
        }
    }

    /// The accesses to what is kept.
    fn found(&self) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for (pc, made) in &self.accesses {
            if made.0 != 0 && made.0 & (self.lost | Made::ELSEWHERE.0) == 0 {
                let (instruction, _) = self.code.instruction_at(*pc).ok()?;
                let owner = match instruction {
                    Instruction::Field { member, .. } => Some(self.pool.member_ref(member).ok()?.owner),
                    _ => None,
                };
                // An object may also be accessed as one of its superclass: that is left alone.
                if owner.is_none_or(|owner| self.are_all_of(*made, owner)) {
                    found.push(*pc);
                }
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Is whatever was made there an object of the class?
    fn are_all_of(&self, made: Made, class: &[u8]) -> bool {
        let mut places = self.places.iter().enumerate().filter(|(number, _)| made.0 >> number & 1 != 0);
        places.all(|(_, pc)| match self.code.instruction_at(*pc) {
            Ok((Instruction::New(of), _)) => self.pool.class_name(of).is_ok_and(|name| name == class),
            _ => false,
        })
    }

    fn place(&self, pc: u32) -> Made {
        match self.places.binary_search(&pc) {
            Ok(number) => Made(1 << number),
            Err(_) => Made::ELSEWHERE,
        }
    }

    fn lose(&mut self, made: Made) {
        self.changed |= made.0 & !self.lost != 0;
        self.lost |= made.0;
    }

    /// The numbers of the places at which something may have been made.
    fn numbers(made: Made) -> impl Iterator<Item = usize> {
        (0..MOST_PLACES).filter(move |number| made.0 >> number & 1 != 0)
    }

    /// A value is put into a part of something.
    fn put(&mut self, into: Made, part: Part, value: Made) {
        if into.0 & Made::ELSEWHERE.0 != 0 {
            self.lose(value);
        }
        for place in Self::numbers(into) {
            let held = self.held.entry((place, part)).or_insert(Made::NULL);
            self.changed |= value.0 & !held.0 != 0;
            held.0 |= value.0;
        }
    }

    /// What a part of something may hold.
    fn get(&mut self, from: Made, part: Part) -> Made {
        let mut found = Made(from.0 & Made::ELSEWHERE.0);
        for place in Self::numbers(from) {
            found.0 |= self.held.get(&(place, part)).map_or(0, |held| held.0);
            // Others may have put something there, or the constructor has.
            if self.lost >> place & 1 != 0 || (part != ELEMENTS && !self.is_blank(place)) {
                found = Made(found.0 | Made::ELSEWHERE.0);
            }
        }
        found
    }

    /// Is it, or is it taken to be, that the fields of what is made at a place are null at first?
    fn is_blank(&mut self, place: usize) -> bool {
        let instruction = self.places.get(place).and_then(|pc| self.code.instruction_at(*pc).ok());
        let Some((Instruction::New(of), _)) = instruction else { return false };
        let Ok(name) = self.pool.class_name(of) else { return false };
        if let Blank::Only(known) = self.blank
            && known == Some(name)
        {
            return true;
        }
        self.asked = match self.asked.take() {
            None => Some(Asked::One(name.to_vec())),
            Some(Asked::One(other)) if other == name => Some(Asked::One(other)),
            _ => Some(Asked::Several),
        };
        matches!(self.blank, Blank::All)
    }

    /// A field that holds references.
    fn reference(&mut self, member: u16) -> Option<Part> {
        let found = self.pool.member_ref(member).ok()?;
        if !matches!(found.descriptor.first(), Some(b'L' | b'[')) {
            return None;
        }
        let field = (found.name, found.descriptor);
        let known = self.fields.iter().position(|known| *known == field);
        Some(
            1 + known.unwrap_or_else(|| {
                self.fields.push(field);
                self.fields.len() - 1
            }),
        )
    }

    /// All that is handed over is lost, but for an object to its own constructor.
    fn call(&mut self, opcode: u8, member: u16, stack: &Stack<Made>) {
        let slots = self.pool.descriptor_of(member).ok().and_then(MethodType::parse);
        let Some(slots) = slots.map(|of| of.parameter_slots() as usize) else {
            return self.lost = u64::MAX;
        };
        (0..slots).for_each(|below| self.lose(stack.peek(below)));
        if matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC) {
            return;
        }
        let receiver = stack.peek(slots);
        let constructs = opcode == op::INVOKESPECIAL
            && self
                .pool
                .member_ref(member)
                .is_ok_and(|called| called.name == b"<init>" && self.are_all_of(receiver, called.owner));
        if !constructs {
            self.lose(receiver);
        }
    }
}

impl Steps for Look<'_, '_> {
    type Value = Made;

    fn step(&mut self, pc: u32, instruction: &Instruction<'_>, state: &mut State<Made>) {
        let State { locals, stack } = state;
        match *instruction {
            Instruction::Load { kind: Moves::Reference, local } => {
                stack.push(locals.get(usize::from(local)).copied().unwrap_or_default());
                return;
            }
            Instruction::Store { kind, local } => {
                let value = stack.top();
                for slot in locals.iter_mut().skip(usize::from(local)).take(usize::from(kind.slots())) {
                    *slot = if kind == Moves::Reference { value } else { Made::ELSEWHERE };
                }
            }
            Instruction::Plain(op::ACONST_NULL) => {
                stack.push(Made::NULL);
                return;
            }
            Instruction::Plain(opcode @ (op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE)) => {
                let array = stack.peek(element_below(opcode) + 1);
                self.accesses.push((pc, array));
                match opcode {
                    op::AASTORE => self.put(array, ELEMENTS, stack.top()),
                    op::AALOAD => {
                        stack.pop();
                        stack.pop();
                        let found = self.get(array, ELEMENTS);
                        stack.push(found);
                        return;
                    }
                    _ => {}
                }
            }
            Instruction::Plain(op::ARETURN | op::ATHROW)
            | Instruction::Field { opcode: op::PUTSTATIC, .. } => self.lose(stack.top()),
            Instruction::Field { opcode: op::GETFIELD, member } => {
                let object = stack.top();
                self.accesses.push((pc, object));
                if let Some(field) = self.reference(member) {
                    stack.pop();
                    let found = self.get(object, field);
                    stack.push(found);
                    return;
                }
            }
            Instruction::Field { opcode: op::PUTFIELD, member } => {
                let wide = matches!(self.pool.descriptor_of(member), Ok(b"J" | b"D"));
                let object = stack.peek(1 + usize::from(wide));
                self.accesses.push((pc, object));
                if let Some(field) = self.reference(member) {
                    self.put(object, field, stack.top());
                }
            }
            Instruction::Invoke { opcode, member } => self.call(opcode, member, stack),
            Instruction::New(_) => {
                stack.push(self.place(pc));
                return;
            }
            Instruction::NewArray(_) | Instruction::NewObjectArray(_) => {
                stack.pop();
                stack.push(self.place(pc));
                return;
            }
            Instruction::CheckCast(_) => return,
            _ => {}
        }
        stack.run(instruction, self.pool);
    }
}

#[cfg(test)]
mod tests;
