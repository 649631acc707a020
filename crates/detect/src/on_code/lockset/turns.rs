//! Tasks that run one after the other: the second is handed over when the first is known to be over, because somebody has
//! waited for its future or its thread, or because the second is a stage of that very future. Only where both are handed
//! over at one place of one method that runs once; and what such a second task hands over itself comes after it.
//!
//! A future that is completed by hand or cancelled says nothing of the task: none of its method's may be.

use program::MethodId;
use program::ir::{BlockId, Body, Edges, Op, Reg, Shape};
use program::points::{Root, RootKind};
use rustc_hash::FxHashSet;

use crate::on_code::Code;
use crate::on_code::accesses::leads;

/// How often a task may be handed over by another one, and that by another one.
const DEEPEST: usize = 4;
/// Ways to a method that hands a task over.
const MOST_WAYS: usize = 4;

/// Is one of two tasks sure to be over before the other one begins?
pub fn in_turn(code: &Code, one: &Root, other: &Root) -> bool {
    is_over_before(code, one, other, DEEPEST) || is_over_before(code, other, one, DEEPEST)
}

fn is_over_before(code: &Code, first: &Root, second: &Root, depth: usize) -> bool {
    let (Some((method, start)), Some((by, handed))) = (only_place(first), only_place(second)) else {
        return false;
    };
    if method == by {
        let once = |inst| code.once().is_run(code, method, inst);
        return start != handed && once(start) && once(handed) && is_waited_for(code, method, start, handed);
    }
    // Who hands it over is a task, too, and it alone does.
    let ways = code.ways(by, MOST_WAYS);
    let roots: FxHashSet<Option<usize>> = ways.iter().map(|way| way.root).collect();
    let only = roots.iter().next().copied().flatten().filter(|_| roots.len() == 1);
    let above = only.and_then(|root| code.points.roots().get(root));
    ways.len() < MOST_WAYS
        && depth > 0
        && above.is_some_and(|above| is_over_before(code, first, above, depth - 1))
}

/// The only place where a root's only task is handed over.
fn only_place(root: &Root) -> Option<(MethodId, u32)> {
    match (root.kind, &root.handed[..]) {
        (RootKind::Task, [(_, place)]) if root.objects.len() == 1 => Some(*place),
        _ => None,
    }
}

/// Is the task that one instruction hands over known to be over when another one is run?
fn is_waited_for(code: &Code, method: MethodId, start: u32, then: u32) -> bool {
    let Some(body) = code.program.body(method) else { return false };
    let calls = Calls { code, method, body };
    let Some(call) = calls.at(start) else { return false };
    let token = match call.name {
        // What a thread runs is over when the thread is.
        "start" | "<init>" => call.arguments.first().copied(),
        _ => body.insts.get(start as usize).map(|inst| inst.result),
    };
    let Some(token) = token.filter(|token| token.is_some()) else { return false };
    let Some(tokens) = calls.tokens(token) else { return false };
    let is_stage = calls.at(then).is_some_and(|call| call.is_stage() && call.uses(&tokens));
    let shape = Shape::new(body, Edges::All);
    is_stage
        || (0..body.insts.len() as u32).any(|inst| {
            let waits = calls.at(inst).is_some_and(|call| {
                let receiver = call.arguments.first();
                call.is_wait() && receiver.is_some_and(|receiver| tokens.contains(receiver))
                    || inst == start && call.name == "invokeAll" && call.is_concurrent()
            });
            waits && is_done_before(body, &shape, inst, then)
        })
}

/// Has one instruction been done without fail whenever another one is run?
fn is_done_before(body: &Body, shape: &Shape, one: u32, other: u32) -> bool {
    let block_of = |inst: u32| {
        body.blocks().find(|(_, block)| block.insts.range().contains(&(inst as usize))).map(|(id, _)| id)
    };
    let (Some(first), Some(second)) = (block_of(one), block_of(other)) else { return false };
    if first == second {
        return one < other;
    }
    // If it fails, something else comes next, which must not lead there.
    let start = |block: BlockId| body.block(block).insts.start;
    let mut catches = body.catches(&body.block(first)).iter();
    shape.dominates(first, second)
        && !catches.any(|edge| edge.target == second || leads(body, start(edge.target), other))
}

/// The calls of a body.
struct Calls<'c> {
    code: &'c Code,
    method: MethodId,
    body: &'c Body,
}

struct Call<'c> {
    class: &'c str,
    name: &'c str,
    descriptor: &'c str,
    arguments: &'c [Reg],
}

impl<'c> Calls<'c> {
    fn at(&self, inst: u32) -> Option<Call<'c>> {
        let Op::Call { method, arguments, .. } = self.body.insts.get(inst as usize)?.op else { return None };
        let table = &self.code.program.class(self.code.program.method(self.method).owner).code.table;
        let (class, name, descriptor) = table.names(table.method(method)?);
        Some(Call { class, name, descriptor, arguments: self.body.list(arguments) })
    }

    /// The registers that hold a future, or one that is complete only after it is; none if somebody else completes one.
    fn tokens(&self, first: Reg) -> Option<FxHashSet<Reg>> {
        let mut tokens = FxHashSet::from_iter([first]);
        loop {
            let known = tokens.len();
            for (inst, number) in self.body.insts.iter().zip(0..) {
                match inst.op {
                    Op::Cast { value, .. } if tokens.contains(&value) => {
                        tokens.insert(inst.result);
                    }
                    Op::Call { .. } => {
                        let Some(call) = self.at(number).filter(|call| call.uses(&tokens)) else { continue };
                        if call.is_by_hand() {
                            return None;
                        }
                        if call.is_stage() && inst.result.is_some() {
                            tokens.insert(inst.result);
                        }
                    }
                    _ => {}
                }
            }
            if tokens.len() == known {
                return Some(tokens);
            }
        }
    }
}

impl Call<'_> {
    fn is_concurrent(&self) -> bool {
        self.class.starts_with("java/util/concurrent/")
    }

    fn uses(&self, tokens: &FxHashSet<Reg>) -> bool {
        self.arguments.iter().any(|argument| tokens.contains(argument))
    }

    /// Is it a stage that begins when all the futures that it is made of are complete?
    fn is_stage(&self) -> bool {
        let starts = ["then", "handle", "whenComplete", "exceptionally", "runAfterBoth"];
        self.is_concurrent() && starts.iter().any(|start| self.name.starts_with(start))
    }

    fn is_wait(&self) -> bool {
        match self.name {
            "join" if self.is_concurrent() => true,
            "join" => self.descriptor == "()V",
            "get" => self.is_concurrent(),
            _ => false,
        }
    }

    fn is_by_hand(&self) -> bool {
        let starts = ["complete", "cancel", "obtrude", "orTimeout"];
        self.is_concurrent() && starts.iter().any(|start| self.name.starts_with(start))
    }
}
