//! What an instruction does to locks: monitors, and the locks of `java.util.concurrent` by what model tables say.

use events::models::{Action, Base as From, Condition, LockMode, Models};
use program::ir::{Body, MethodRef, Op, Reg};
use program::{ClassId, Program};
use rustc_hash::FxHashMap;

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// Alone.
    Alone,
    /// Together with other readers.
    Read,
}

/// What happens to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is taken.
    Acquire,
    /// It is taken if the call's result says so.
    Try,
    /// It is given up.
    Release,
    /// It is given up for a while.
    Wait,
    /// What is read until it is given up is read on trial: nobody waits for it.
    Trial,
}

/// An operation on a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockOp {
    /// What happens.
    pub change: Change,
    /// The lock; none for a condition, whose lock is not known: then it is all of `java.util.concurrent` that are held.
    pub lock: Option<Reg>,
    /// How.
    pub mode: Mode,
    /// Is it a monitor?
    pub monitor: bool,
}

/// What calls do to locks, by class and the number of the method named there.
#[derive(Default)]
pub struct Effects {
    known: FxHashMap<(ClassId, MethodRef), Option<Known>>,
}

#[derive(Clone, Copy)]
struct Known {
    change: Change,
    /// Which argument, the receiver counted.
    argument: Option<usize>,
    mode: Mode,
    monitor: bool,
}

impl Effects {
    /// What an instruction of a class does.
    pub fn of(
        &mut self,
        program: &Program,
        models: &Models,
        class: ClassId,
        body: &Body,
        op: &Op,
    ) -> Option<LockOp> {
        let monitor =
            |change, object| Some(LockOp { change, lock: Some(object), mode: Mode::Alone, monitor: true });
        match *op {
            Op::Enter { object } => monitor(Change::Acquire, object),
            Op::Exit { object } => monitor(Change::Release, object),
            Op::Call { method, arguments, .. } => {
                let known = *self
                    .known
                    .entry((class, method))
                    .or_insert_with(|| look_up(program, models, class, method));
                let known = known?;
                let lock = match known.argument {
                    Some(at) => Some(*body.list(arguments).get(at)?),
                    None => None,
                };
                Some(LockOp { change: known.change, lock, mode: known.mode, monitor: known.monitor })
            }
            _ => None,
        }
    }
}

const LOCK: &str = "java/util/concurrent/locks/Lock";
const CONDITION: &str = "java/util/concurrent/locks/Condition";

fn look_up(program: &Program, models: &Models, class: ClassId, method: MethodRef) -> Option<Known> {
    let table = &program.class(class).code.table;
    let (owner, name, descriptor) = table.names(table.method(method)?);
    if owner == CONDITION && name.starts_with("await") {
        return Some(Known { change: Change::Wait, argument: None, mode: Mode::Alone, monitor: false });
    }
    if name == "wait" && matches!(descriptor, "()V" | "(J)V" | "(JI)V") {
        return Some(Known { change: Change::Wait, argument: Some(0), mode: Mode::Alone, monitor: true });
    }
    models.calls(name, descriptor).next()?;
    // Whatever the lock is, it is meant to behave like one.
    let asked = if owner == LOCK { "java/util/concurrent/locks/ReentrantLock" } else { owner };
    let is_below = |below: &str, above: &str| {
        below == above
            || program
                .class_named(below)
                .zip(program.class_named(above))
                .is_some_and(|(below, above)| program.is_below(below, above))
    };
    for line in models.call_on(name, descriptor, asked, is_below) {
        for effect in &line.effects {
            let (change, lock, mode) = match &effect.action {
                Action::Acquire { lock, mode: LockMode::Optimistic } => {
                    (Change::Trial, lock, &LockMode::Read)
                }
                Action::Release { lock, mode: LockMode::Optimistic } => {
                    (Change::Release, lock, &LockMode::Read)
                }
                Action::Acquire { lock, mode } if effect.condition == Condition::Always => {
                    (Change::Acquire, lock, mode)
                }
                Action::Acquire { lock, mode } => (Change::Try, lock, mode),
                Action::Release { lock, mode } => (Change::Release, lock, mode),
                Action::Wait { lock } => (Change::Wait, lock, &LockMode::Exclusive),
                _ => continue,
            };
            let mode = match mode {
                LockMode::Exclusive => Mode::Alone,
                LockMode::Read => Mode::Read,
                _ => continue,
            };
            // Fields of the lock lead to what is inside of it: it stands for that.
            if lock.base == From::This {
                return Some(Known { change, argument: Some(0), mode, monitor: false });
            }
        }
    }
    None
}
