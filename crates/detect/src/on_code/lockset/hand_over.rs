//! What may hand a variable over from one thread to another without a lock: a start or its end that is waited for, a
//! queue, a latch, a semaphore, a future, a volatile field, an atomic. Only whether it is possible: one side gives order
//! after its access, the other takes order before its own, in the same method, in what it calls or in what calls it. What a
//! library runs after it has taken order and before it gives it again does both: a barrier's action, the function that a
//! concurrent map computes with.

use events::models::{Access as Touch, Action, Line, Placement, When};
use program::ir::{FieldRef, Op};
use program::points::{Made, RootKind};
use program::{MethodId, flags};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::on_code::accesses::leads;
use crate::on_code::{Code, Place};

/// What an instruction does to order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// Starts a thread, or hands a task to one.
    Start,
    /// Waits for a thread or task to end.
    Wait,
    /// Gives order to whoever takes it.
    Give,
    /// Takes it.
    Take,
}

/// Which instructions give and take order.
pub struct HandOver {
    /// By method, with those of the methods that it calls.
    marks: FxHashMap<MethodId, FxHashSet<(Mark, u32)>>,
    callers: FxHashMap<MethodId, Vec<(MethodId, u32)>>,
    /// Methods of closures that a library takes order for and gives order after.
    ordered: FxHashSet<MethodId>,
}

/// Methods of the JDK that give or take order, by name, where the receiver is of a class made for that. Model tables say
/// more, but at the places inside of the JDK where it happens.
const GIVES: &[&str] = &[
    "put",
    "offer",
    "add",
    "addFirst",
    "addLast",
    "offerFirst",
    "offerLast",
    "push",
    "transfer",
    "tryTransfer",
    "complete",
    "completeExceptionally",
    "cancel",
    "countDown",
    "release",
    "arrive",
    "arriveAndAwaitAdvance",
    "await",
    "exchange",
    "arriveAndDeregister",
    "unpark",
    "interrupt",
    "notify",
    "notifyAll",
    "putIfAbsent",
    "replace",
    "submit",
    "publish",
    "compute",
    "computeIfAbsent",
    "merge",
    "execute",
];
const TAKES: &[&str] = &[
    "take",
    "poll",
    "pollFirst",
    "pollLast",
    "takeFirst",
    "takeLast",
    "remove",
    "removeFirst",
    "pop",
    "peek",
    "get",
    "join",
    "getNow",
    "await",
    "acquire",
    "tryAcquire",
    "acquireUninterruptibly",
    "exchange",
    "awaitAdvance",
    "park",
    "parkNanos",
    "arriveAndAwaitAdvance",
    "isDone",
    "contains",
    "containsKey",
    "isInterrupted",
    "interrupted",
    "wait",
    "drainTo",
    "computeIfPresent",
    "compute",
    "merge",
    "getOrDefault",
    "forEach",
    "iterator",
    "size",
    "isEmpty",
    "sleep",
];
const WAITS: &[&str] = &[
    "awaitTermination",
    "invokeAll",
    "invokeAny",
    "close",
    "get",
    "join",
    "isAlive",
    "getState",
    "isTerminated",
    "invoke",
];

/// How far up callers are followed.
const HIGHEST: usize = 1;

impl HandOver {
    /// Looks at all methods.
    pub fn new(code: &Code) -> HandOver {
        let mut own: FxHashMap<MethodId, FxHashSet<(Mark, u32)>> = FxHashMap::default();
        let mut ordered = FxHashSet::default();
        for method in code.methods() {
            let Some(body) = code.program.body(method) else { continue };
            for (inst, number) in body.insts.iter().zip(0..) {
                for mark in marks(code, method, &inst.op) {
                    own.entry(method).or_default().insert((mark, number));
                }
                ordered.extend(runs_in_order(code, method, &inst.op));
            }
        }
        let mut callers: FxHashMap<MethodId, Vec<(MethodId, u32)>> = FxHashMap::default();
        let mut marks = own.clone();
        for (caller, inst, callee) in code.points.all_targets() {
            callers.entry(callee).or_default().push((caller, inst));
            for (mark, _) in own.get(&callee).into_iter().flatten() {
                marks.entry(caller).or_default().insert((*mark, inst));
            }
        }
        HandOver { marks, callers, ordered }
    }

    /// May what happens at one place be over, for all threads, before what happens at the other?
    pub fn is_possible(&self, code: &Code, from: Place, to: Place) -> bool {
        let after = |mark| self.is_near(code, from, mark, true, HIGHEST);
        let before = |mark| self.is_near(code, to, mark, false, HIGHEST);
        let is_task = |place: Place| {
            let ways = code.ways(place.method, 4);
            let kind = |root: usize| code.points.roots().get(root).map(|root| root.kind);
            ways.iter().filter_map(|way| way.root).any(|root| kind(root) == Some(RootKind::Task))
        };
        after(Mark::Give) && before(Mark::Take)
            || before(Mark::Wait) && is_task(from)
            || after(Mark::Start) && is_task(to)
    }

    /// Is there such an instruction after (or before) a place, on some path, here or in callers?
    fn is_near(&self, code: &Code, place: Place, mark: Mark, after: bool, depth: usize) -> bool {
        let Some(body) = code.program.body(place.method) else { return false };
        let mut marks = self.marks.get(&place.method).into_iter().flatten();
        let here = marks.any(|(found, inst)| {
            *found == mark
                && match after {
                    true => leads(body, place.inst, *inst),
                    false => leads(body, *inst, place.inst),
                }
        });
        let around =
            self.ordered.contains(&place.method) && mark == if after { Mark::Give } else { Mark::Take };
        let mut callers = self.callers.get(&place.method).into_iter().flatten();
        here || around
            || depth > 0
                && callers.any(|(method, inst)| {
                    let place = Place { method: *method, inst: *inst };
                    self.is_near(code, place, mark, after, depth - 1)
                })
    }
}

/// The methods of closures that a call hands to a class that runs them in order, by what models say of its code: it takes
/// order just before it calls them and gives the same order just after.
fn runs_in_order(code: &Code, method: MethodId, op: &Op) -> Vec<MethodId> {
    let Op::Call { method: named, arguments, .. } = *op else { return Vec::new() };
    let (program, points) = (&code.program, &code.points);
    let owner = program.method(method).owner;
    let table = &program.class(owner).code.table;
    let (Some(member), Some(body)) = (table.method(named), program.body(method)) else { return Vec::new() };
    let (class, _, _) = table.names(member);
    let arguments = body.list(arguments);
    let closures = arguments.iter().filter_map(|reg| points.of(method, *reg));
    let closures: Vec<u32> = closures
        .flat_map(|set| set.iter().take(MOST_CLOSURES))
        .filter(|object| points.object(*object).made == Made::Closure)
        .collect();
    if closures.is_empty() {
        return Vec::new();
    }
    let receivers = arguments.first().and_then(|reg| points.of(method, *reg));
    let receivers = receivers.into_iter().flat_map(|set| set.iter().take(MOST_CLOSURES));
    let classes = receivers.filter_map(|object| points.object(object).class);
    let mut classes: Vec<&str> = classes.map(|class| program.class(class).name()).collect();
    classes.push(class);
    let lines: Vec<&Line> =
        classes.iter().flat_map(|class| code.models.bodies(class)).filter(|line| is_in_order(line)).collect();
    let runs = |line: &&Line, class: &str, name: &str, descriptor: &str| match &line.placement {
        Placement::Inside { owner, callee } => &**owner == class && callee.matches(name, descriptor),
        _ => false,
    };
    let target = |object: u32| {
        let (maker, inst) = points.object(object).place?;
        let Op::Closure { closure, .. } = program.body(maker)?.insts.get(inst as usize)?.op else {
            return None;
        };
        let class = program.method(maker).owner;
        let table = &program.class(class).code.table;
        let closure = table.closures.get(closure.index())?;
        let (interface, name, descriptor) = table.names(closure.method);
        lines.iter().find(|line| runs(line, interface, name, descriptor))?;
        let (_, name, descriptor) = table.names(closure.body.member);
        let owner = program.class_of(class, closure.body.member.owner)?;
        program.find_method(owner, program.selector(name, descriptor)?)
    };
    closures.into_iter().filter_map(target).collect()
}

/// How many objects are looked at.
const MOST_CLOSURES: usize = 16;

fn is_in_order(line: &Line) -> bool {
    let mut taken = line.effects.iter().filter(|effect| effect.when == When::Before);
    taken.any(|taken| match &taken.action {
        Action::Observe(from) => line.effects.iter().any(|given| {
            given.when == When::Left && matches!(&given.action, Action::Signal(to) if to == from)
        }),
        _ => false,
    })
}

fn marks(code: &Code, method: MethodId, op: &Op) -> Vec<Mark> {
    let owner = code.program.method(method).owner;
    let is_volatile = |field: FieldRef| {
        let field = code.program.field_of(owner, field);
        field.is_some_and(|field| code.program.field(field).access & flags::VOLATILE != 0)
    };
    let mut found = Vec::new();
    match *op {
        Op::Put { field, .. } | Op::PutStatic { field, .. } if is_volatile(field) => found.push(Mark::Give),
        Op::Get { field, .. } | Op::GetStatic { field } if is_volatile(field) => found.push(Mark::Take),
        Op::Call { method: named, arguments, .. } => {
            let table = &code.program.class(owner).code.table;
            let Some((class, name, descriptor)) = table.method(named).map(|member| table.names(member))
            else {
                return found;
            };
            let below = |above: &str| {
                let classes = code.program.class_named(class).zip(code.program.class_named(above));
                class == above || classes.is_some_and(|(class, above)| code.program.is_below(class, above))
            };
            let is_thread = below("java/lang/Thread");
            if is_thread && name == "start" {
                found.push(Mark::Start);
            }
            let body = code.program.body(method);
            let receiver = body.and_then(|body| body.list(arguments).first().copied());
            let made_for_it = |class: &str| {
                class.starts_with("java/util/concurrent/")
                    || class == "java/lang/Process"
                    || class == "java/util/Timer"
            };
            let objects = receiver.and_then(|reg| code.points.of(method, reg));
            let mut classes = objects.into_iter().flat_map(|set| set.iter()).take(8);
            let holds = classes.any(|object| {
                let class = code.points.object(object).class;
                class.is_some_and(|class| made_for_it(code.program.class(class).name()))
            });
            if made_for_it(class) || is_thread || holds || class == "java/lang/Object" {
                let rows = [(GIVES, Mark::Give), (TAKES, Mark::Take), (WAITS, Mark::Wait)];
                found.extend(rows.iter().filter(|(names, _)| names.contains(&name)).map(|(_, mark)| *mark));
            }
            for line in code.call_lines(class, name, descriptor) {
                for effect in &line.effects {
                    match &effect.action {
                        Action::Fork(_) | Action::Runs { now: false, .. } if name != "<init>" => {
                            found.push(Mark::Start);
                        }
                        Action::Join(_) => found.push(Mark::Wait),
                        Action::Signal(_) => found.push(Mark::Give),
                        Action::Observe(_) => found.push(Mark::Take),
                        Action::Volatile { access, .. } => match access {
                            Touch::Read => found.push(Mark::Take),
                            Touch::Write => found.push(Mark::Give),
                            Touch::Update => found.extend([Mark::Give, Mark::Take]),
                        },
                        _ => {}
                    }
                }
            }
        }
        _ => {}
    }
    found
}
