//! Objects and arrays that a method makes and keeps to itself: nobody else can ever see one, so nothing is told of its
//! fields and elements, and the JVM may do without the object as it would unwatched.
//!
//! A value is the set of the places (`new`) at which it may have been made. It leaves the method's hands when it is
//! returned, thrown, stored in a field or an element, or handed to a call; its own constructor is the one call that may
//! have it, and whether that one keeps it is known when its class is woven (`members.rs`, `$raddle$keeps`): at once for
//! the class itself, when the access is linked for others. Monitors are told as ever. Calls are not followed.

use classfile::{Code, Instruction, Kind as Moves, MethodType, Pool, Result, op};

use crate::blocks::{Graph, Way};
use crate::stack::{Stack, element_below};

/// Places that are told apart in one method; objects of any more are like those from elsewhere.
const MOST_PLACES: usize = 63;
/// Words of state for one method.
const MOST_STATE: usize = 200_000;
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

/// The pcs, ascending, of the method's accesses to what it keeps to itself; objects only if their constructors do so too.
pub(crate) fn find(code: &Code<'_>, pool: &Pool<'_>) -> Result<Vec<u32>> {
    if !is_worth_it(code, pool)? {
        return Ok(Vec::new());
    }
    let Some(graph) = Graph::new(code)? else { return Ok(Vec::new()) };
    let locals = usize::from(code.max_locals);
    if graph.blocks.len() * (locals + usize::from(code.max_stack)) > MOST_STATE {
        return Ok(Vec::new());
    }
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
    let mut look = Look { graph: &graph, code, pool, places, lost: 0, steps: 0, accesses: Vec::new() };
    Ok(look.run(locals).unwrap_or_default())
}

/// What is known where a block begins.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<Made>,
    stack: Stack<Made>,
}

impl State {
    /// Adds what is known on another way here; was there anything new? `None`: the two do not fit together.
    fn join(&mut self, other: &State) -> Option<bool> {
        if self.stack.slots().len() != other.stack.slots().len() {
            return None;
        }
        let mut changed = join_all(&mut self.locals, &other.locals);
        changed |= join_all(self.stack.slots_mut(), other.stack.slots());
        Some(changed)
    }
}

fn join_all(mine: &mut [Made], others: &[Made]) -> bool {
    let mut changed = false;
    for (mine, other) in mine.iter_mut().zip(others) {
        changed |= other.0 & !mine.0 != 0;
        mine.0 |= other.0;
    }
    changed
}

struct Look<'l, 'c> {
    graph: &'l Graph<'c>,
    code: &'l Code<'c>,
    pool: &'l Pool<'l>,
    /// The pcs of the places.
    places: Vec<u32>,
    /// The places whose objects have left the method's hands.
    lost: u64,
    steps: usize,
    /// Accesses with what they may access, in the last round.
    accesses: Vec<(u32, Made)>,
}

impl Look<'_, '_> {
    /// `None`: it would take too long, or the code is not what it should be.
    fn run(&mut self, locals: usize) -> Option<Vec<u32>> {
        let mut states: Vec<Option<State>> = vec![None; self.graph.blocks.len()];
        let first = State { locals: vec![Made::ELSEWHERE; locals], stack: Stack::default() };
        *states.first_mut()? = Some(first);
        let mut todo = vec![0];
        while let Some(block) = todo.pop() {
            let state = states.get(block)?.clone()?;
            for (to, reached) in self.block(block, state)? {
                let place = states.get_mut(to)?;
                let changed = match place {
                    Some(known) => known.join(&reached)?,
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
        self.accesses.clear();
        for (block, state) in states.into_iter().enumerate() {
            if let Some(state) = state {
                self.block(block, state)?;
            }
        }
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

    /// Runs a block; where control goes from it, with what is known there.
    fn block(&mut self, block: usize, mut state: State) -> Option<Vec<(usize, State)>> {
        let found = self.graph.blocks.get(block)?;
        let steps = self.graph.steps.get(found.first..found.behind)?;
        self.steps += steps.len() + 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        // A handler may find every local that was there at any of the instructions.
        let catches = found.out.iter().any(|edge| edge.way == Way::Thrown);
        let mut at_any = if catches { state.locals.clone() } else { Vec::new() };
        for (pc, instruction) in steps {
            self.step(*pc, instruction, &mut state);
            if catches && matches!(instruction, Instruction::Store { .. }) {
                join_all(&mut at_any, &state.locals);
            }
        }
        let reached = found.out.iter().map(|edge| {
            let state = match edge.way {
                Way::Thrown => State { locals: at_any.clone(), stack: Stack::from(vec![Made::ELSEWHERE]) },
                _ => state.clone(),
            };
            (edge.to, state)
        });
        Some(reached.collect())
    }

    fn lose(&mut self, made: Made) {
        self.lost |= made.0;
    }

    fn step(&mut self, pc: u32, instruction: &Instruction<'_>, state: &mut State) {
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
                self.accesses.push((pc, stack.peek(element_below(opcode) + 1)));
                if opcode == op::AASTORE {
                    self.lose(stack.top());
                }
            }
            Instruction::Plain(op::ARETURN | op::ATHROW)
            | Instruction::Field { opcode: op::PUTSTATIC, .. } => self.lose(stack.top()),
            Instruction::Field { opcode: op::GETFIELD, .. } => self.accesses.push((pc, stack.top())),
            Instruction::Field { opcode: op::PUTFIELD, member } => {
                let wide = matches!(self.pool.descriptor_of(member), Ok(b"J" | b"D"));
                self.accesses.push((pc, stack.peek(1 + usize::from(wide))));
                self.lose(stack.top());
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

#[cfg(test)]
mod tests {
    use classfile::{Assembler, Class, Snippet, flags};

    use super::*;

    /// What a method is made of here; fields are `A.f`.
    #[derive(Clone, Copy)]
    enum Piece {
        /// Makes an object of the class: `new`, `dup`, its constructor.
        New(&'static [u8]),
        Array,
        Get(u16),
        Put(u16),
        Read,
        Write,
        Element,
        Op(u8),
        Int,
        Static,
        /// A static method that takes an object.
        Give,
        Lock,
        At(usize),
        To(u8, usize),
    }
    use Piece::*;

    /// The accesses, counted from 0, that touch what is kept. Handlers: first label, last, target.
    fn kept(pieces: &[Piece], handlers: &[[usize; 3]]) -> Vec<usize> {
        let mut class = Class::new(49, flags::PUBLIC, b"B", b"java/lang/Object").expect("room");
        let mut method = Assembler::new();
        let labels: Vec<_> = (0..4).map(|_| method.label()).collect();
        for piece in pieces {
            let mut code = Snippet::new();
            let pool = &mut class.pool;
            match *piece {
                New(name) => {
                    code.class_op(pool, op::NEW, name).expect("room").plain(op::DUP).expect("plain");
                    code.invoke_special(pool, name, b"<init>", b"()V").expect("room");
                }
                Array => drop(code.int(pool, 5).expect("room").new_array(10).expect("a type")),
                Get(local) => drop(code.load(Moves::Reference, local)),
                Put(local) => drop(code.store(Moves::Reference, local)),
                Read => {
                    code.field(pool, op::GETFIELD, b"A", b"f", b"J")
                        .expect("room")
                        .plain(op::POP2)
                        .expect("plain");
                }
                Write => {
                    code.plain(op::LCONST_0).expect("plain");
                    code.field(pool, op::PUTFIELD, b"A", b"f", b"J").expect("room");
                }
                Element => {
                    code.int(pool, 0)
                        .expect("room")
                        .plain(op::IALOAD)
                        .expect("plain")
                        .plain(op::POP)
                        .expect("plain");
                }
                Op(opcode) => drop(code.plain(opcode).expect("plain")),
                Int => drop(code.int(pool, 0).expect("room")),
                Static => drop(code.field(pool, op::PUTSTATIC, b"B", b"g", b"LA;").expect("room")),
                Give => drop(code.invoke_static(pool, b"B", b"h", b"(Ljava/lang/Object;)V").expect("room")),
                Lock => drop(code.plains(&[op::DUP, op::MONITORENTER, op::MONITOREXIT]).expect("plain")),
                At(number) => drop(method.bind(labels[number]).expect("once")),
                To(opcode, number) => drop(method.branch(opcode, labels[number]).expect("a branch")),
            }
            method.add(&code);
        }
        method.add(Snippet::new().plain(op::RETURN).expect("plain"));
        for [start, end, target] in handlers {
            method.handler(labels[*start], labels[*end], labels[*target], 0);
        }
        let number = method.finish(&mut class, flags::STATIC, b"f", b"(LA;LA;LA;)V").expect("a method");
        let bytes = class.write().expect("bytes");
        let class = Class::parse(&bytes).expect("a class");
        let code = class.code(&class.methods[number]).expect("readable").expect("code");
        let steps = code.instructions().map(|step| step.expect("an instruction"));
        let is_access = |instruction: &Instruction<'_>| {
            matches!(
                instruction,
                Instruction::Field { opcode: op::GETFIELD | op::PUTFIELD, .. }
                    | Instruction::Plain(op::IALOAD)
            )
        };
        let accesses: Vec<u32> = steps.filter(|(_, step)| is_access(step)).map(|(pc, _)| pc).collect();
        let found = find(&code, &class.pool).expect("readable");
        found.iter().map(|pc| accesses.binary_search(pc).expect("an access")).collect()
    }

    const A: Piece = New(b"A");

    #[test]
    fn what_is_only_accessed_is_kept() {
        assert_eq!(kept(&[A, Put(0), Get(0), Write, Get(0), Read, Get(0), Lock, Op(op::POP)], &[]), [0, 1]);
        assert_eq!(kept(&[Array, Put(0), Get(0), Element], &[]), [0]);
    }

    #[test]
    fn what_comes_from_elsewhere_is_not() {
        assert_eq!(kept(&[A, Put(0), Get(1), Read, Get(0), Read], &[]), [1]);
        // On one way it is the parameter still.
        let either = [Int, To(op::IFEQ, 0), A, Put(0), At(0), Get(0), Read];
        assert!(kept(&either, &[]).is_empty());
    }

    #[test]
    fn null_is_nobodys() {
        let either = [Op(op::ACONST_NULL), Put(0), Int, To(op::IFEQ, 0), A, Put(0), At(0), Get(0), Read];
        assert_eq!(kept(&either, &[]), [0]);
    }

    #[test]
    fn what_is_given_away_is_lost_before_and_after() {
        for away in [&[Static][..], &[Give], &[Op(op::ATHROW)]] {
            let pieces =
                [&[A, Put(0), Get(0), Read, Int, To(op::IFEQ, 0), Get(0)][..], away, &[At(0), Get(0), Read]];
            assert!(kept(&pieces.concat(), &[]).is_empty());
        }
        // Stored in the element of another array, which is kept itself.
        let stored = [A, Put(0), Get(1), Int, Get(0), Op(op::AASTORE), Get(0), Read];
        assert!(kept(&stored, &[]).is_empty());
    }

    #[test]
    fn a_copy_is_the_same_object() {
        assert!(kept(&[A, Op(op::DUP), Put(0), Static, Get(0), Read], &[]).is_empty());
        assert!(kept(&[A, Put(0), Get(0), Put(1), Get(1), Static, Get(0), Read], &[]).is_empty());
    }

    #[test]
    fn one_place_makes_many_objects_in_a_loop() {
        let kept_in_loop = [At(0), A, Put(0), Get(0), Write, Int, To(op::IFEQ, 0)];
        assert_eq!(kept(&kept_in_loop, &[]), [0]);
        // The one of the iteration before is given away.
        let lost = [
            A,
            Put(1),
            At(0),
            Get(1),
            Static,
            A,
            Put(0),
            Get(0),
            Write,
            Get(0),
            Put(1),
            Int,
            To(op::IFEQ, 0),
        ];
        assert!(kept(&lost, &[]).is_empty());
    }

    #[test]
    fn a_handler_finds_what_was_there_at_any_time() {
        // Local 0 is the new object for a while, and then the parameter again.
        let pieces = [
            At(0),
            A,
            Put(0),
            Get(0),
            Read,
            Get(1),
            Put(0),
            At(1),
            To(op::GOTO, 3),
            At(2),
            Op(op::POP),
            Get(0),
            Static,
            At(3),
        ];
        assert!(kept(&pieces, &[[0, 1, 2]]).is_empty());
        assert_eq!(kept(&pieces, &[]), [0], "without a handler nothing leads to the store");
    }

    #[test]
    fn an_object_is_accessed_as_what_it_was_made() {
        assert!(kept(&[A, Op(op::POP), New(b"C"), Read], &[]).is_empty());
    }
}
