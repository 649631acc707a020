//! One effect of a model line as the probe calls it needs: when they stand and what they carry.

use events::models::{
    Access, Action, Base, Bound, Condition, Effect, KindWord, Line, LockMode, Models, Range, Target,
    Variable, When,
};

use super::plan::{Form, Number, Source};
use crate::{Kind, Moment, settled};

/// A probe call that an effect asks for.
pub(crate) struct Wanted {
    pub moment: Moment,
    pub kind: Kind,
    pub form: Form,
    /// Is it a plain access, left out where accesses are not watched?
    pub is_access: bool,
}

fn source(target: &Target) -> Source {
    base(target.base)
}

fn base(base: Base) -> Source {
    match base {
        Base::This => Source::This,
        Base::Arg(number) => Source::Arg(number),
        Base::Result => Source::Result,
        Base::Outer => Source::Outer,
        Base::OuterArg(number) => Source::OuterArg(number),
        // The probe knows the current thread, and the class by the line.
        Base::Thread | Base::Class => Source::Null,
    }
}

fn number(base: Base) -> Number {
    match base {
        Base::Arg(number) => Number::Arg(number),
        Base::Result => Number::Result,
        Base::OuterArg(number) => Number::OuterArg(number),
        _ => Number::Constant(0),
    }
}

fn bound(bound: Bound) -> Number {
    match bound {
        Bound::Number(value) => Number::Constant(i32::try_from(value).unwrap_or(i32::MAX)),
        Bound::Value(base) => number(base),
        Bound::Difference(a, b) => Number::Difference(a, b),
    }
}

fn moments(when: When) -> &'static [Moment] {
    match when {
        When::Before => &[Moment::Before],
        When::After => &[Moment::After],
        When::Thrown => &[Moment::Thrown],
        When::Left => &[Moment::After, Moment::Thrown],
        When::Around => &[Moment::Before, Moment::After, Moment::Thrown],
    }
}

/// What the condition needs to know: the result, once there is one.
fn asked(condition: Condition, moment: Moment) -> Number {
    match condition {
        Condition::Always | Condition::Ended => Number::Constant(0),
        _ if moment == Moment::After => Number::Result,
        _ => Number::Constant(0),
    }
}

/// The probe calls of an effect at calls that name `owner` (bodies: the class itself).
pub(crate) fn expand(models: &Models, line: &Line, effect: &Effect, owner: &str, out: &mut Vec<Wanted>) {
    let condition = effect.condition;
    let mut on = |moment: Moment, kind: Kind, target: Source, value: Number| {
        out.push(Wanted { moment, kind, form: Form::Effect { target, value }, is_access: false });
    };
    match &effect.action {
        Action::Acquire { lock, mode } => {
            let kind = match (*mode == LockMode::Read, condition == Condition::Always) {
                (false, true) => Kind::Acquire,
                (true, true) => Kind::AcquireRead,
                // Whoever is told whether it has the lock goes on without it.
                (false, false) => Kind::TryAcquire,
                (true, false) => Kind::TryAcquireRead,
            };
            for &moment in moments(effect.when) {
                on(moment, kind, source(lock), stamp_or(mode, asked(condition, moment)));
            }
        }
        Action::Release { lock, mode } => {
            let kind = if *mode == LockMode::Read { Kind::ReleaseRead } else { Kind::Release };
            for &moment in moments(effect.when) {
                on(moment, kind, source(lock), stamp_or(mode, asked(condition, moment)));
            }
        }
        Action::Convert { lock, stamp, .. } => {
            on(Moment::Before, Kind::Convert, source(lock), number(stamp.base));
            on(Moment::After, Kind::Convert, source(lock), Number::Result);
        }
        Action::Wait { lock } => {
            let (wait, woken) = match &*line.class {
                "java/lang/Object" => (Kind::Wait, Kind::Woken),
                _ => (Kind::Await, Kind::Awaited),
            };
            on(Moment::Before, wait, source(lock), Number::Constant(0));
            on(Moment::After, woken, source(lock), Number::Constant(0));
            on(Moment::Thrown, woken, source(lock), Number::Constant(0));
        }
        Action::Locks { lock } => {
            on(Moment::Before, Kind::Enter, source(lock), Number::Constant(0));
            on(Moment::After, Kind::Exit, source(lock), Number::Constant(0));
            on(Moment::Thrown, Kind::Exit, source(lock), Number::Constant(0));
        }
        Action::Signal(channel) | Action::Observe(channel) => {
            let signal = matches!(effect.action, Action::Signal(_));
            let kind = if signal { Kind::Signal } else { Kind::Observe };
            for &moment in moments(effect.when) {
                on(moment, kind, source(&channel.object), asked(condition, moment));
            }
        }
        Action::Fork(target) | Action::Join(target) => {
            let kind = if matches!(effect.action, Action::Fork(_)) { Kind::Fork } else { Kind::Join };
            for &moment in moments(effect.when) {
                on(moment, kind, source(target), asked(condition, moment));
            }
        }
        Action::Volatile { access: Access::Update, variable } => {
            // Whether it wrote is known afterwards; what gives order is told before all the same.
            out.push(on_variable(Moment::Before, Kind::UpdateWrite, variable, Number::Constant(0)));
            let value = asked(condition, Moment::After);
            out.push(on_variable(Moment::After, Kind::UpdateRead, variable, value));
        }
        Action::Volatile { access, variable } => {
            let read = *access == Access::Read;
            let kind = if read { Kind::VolatileRead } else { Kind::VolatileWrite };
            for &moment in moments(effect.when) {
                out.push(on_variable(moment, kind, variable, asked(condition, moment)));
            }
        }
        Action::Plain { access, variable } => {
            let write = *access == Access::Write;
            let kind = match variable {
                Variable::Object(_) if write => Kind::ObjectWrite,
                Variable::Object(_) => Kind::ObjectRead,
                _ if write => Kind::Write,
                _ => Kind::Read,
            };
            for &moment in moments(effect.when) {
                let mut wanted = on_variable(moment, kind, variable, asked(condition, moment));
                wanted.is_access = true;
                out.push(wanted);
            }
        }
        Action::Elements { access, array, range } => {
            let kind = if *access == Access::Write { Kind::RangeWrite } else { Kind::RangeRead };
            let (from, to, plus) = match *range {
                Range::Whole => (Number::Constant(0), Number::Constant(i32::MAX), false),
                Range::Length { from, length } => (bound(from), bound(length), true),
                Range::Until { from, to } => (bound(from), bound(to), false),
            };
            for &moment in moments(effect.when) {
                let form = Form::Range { array: source(array), from, to, plus };
                out.push(Wanted { moment, kind, form, is_access: true });
            }
        }
        Action::Uses { target, mutates, held } => uses(models, target, *mutates, *held, owner, out),
        Action::Part { part, whole, .. } => {
            let form = Form::Handle {
                base: source(part),
                other: source(whole),
                index: Number::Constant(0),
                value: Number::Constant(0),
            };
            for &moment in moments(effect.when) {
                out.push(Wanted { moment, kind: Kind::Known, form, is_access: false });
            }
        }
        // For those who read code: a running program shows where its code runs.
        Action::Runs { .. } => {}
    }
}

fn stamp_or(mode: &LockMode, value: Number) -> Number {
    match mode {
        LockMode::Stamp(stamp) => number(stamp.base),
        _ => value,
    }
}

/// A call for a variable. `Unsafe` carries the offset as value and the condition's result as index.
fn on_variable(moment: Moment, kind: Kind, variable: &Variable, value: Number) -> Wanted {
    let zero = Number::Constant(0);
    let form = match variable {
        Variable::Object(target) => Form::Effect { target: source(target), value },
        Variable::Element(target, index) => {
            Form::Handle { base: source(target), other: Source::This, index: number(*index), value }
        }
        Variable::Handle(handle) => {
            Form::Handle { base: Source::Coordinate, other: source(handle), index: Number::Coordinate, value }
        }
        Variable::Field { updater, object } => {
            Form::Handle { base: source(object), other: source(updater), index: zero, value }
        }
        Variable::Memory { object, offset } => {
            Form::Handle { base: source(object), other: Source::This, index: value, value: number(*offset) }
        }
    };
    Wanted { moment, kind, form, is_access: false }
}

/// What a look at or a change of a collection is depends on the kind of its class; where that is certain, less is told.
fn uses(models: &Models, target: &Target, mutates: bool, held: bool, owner: &str, out: &mut Vec<Wanted>) {
    let certain = target.is_receiver() && target.fields.is_empty() && settled::is_of_one_kind(owner);
    let word = if certain { models.kind(owner).map(|kind| kind.word) } else { None };
    let (moments, is_access): (&[Moment], bool) = match word {
        Some(KindWord::Immutable | KindWord::ThreadSafe) => return,
        Some(KindWord::Unsynchronised) => (&[Moment::Before], true),
        Some(KindWord::Concurrent) => (&[Moment::Before, Moment::After], false),
        _ if held => (&[Moment::Before, Moment::After, Moment::Thrown], false),
        _ => (&[Moment::Before, Moment::After], false),
    };
    let kind = if mutates { Kind::ObjectWrite } else { Kind::ObjectRead };
    for &moment in moments {
        let form = Form::Effect { target: source(target), value: Number::Constant(0) };
        out.push(Wanted { moment, kind, form, is_access });
    }
}
