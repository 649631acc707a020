//! Effects that parse but cannot be, whatever JDK they are about. What only a JDK can tell (static methods, void
//! results, missing fields) is left to `cargo xtask models`.

use super::effect::{Action, Base, Condition, Effect, When};
use super::line::{Method, Placement};

/// What cannot be: results before the call, arguments that the method does not have, an object not yet made.
pub(super) fn check(effect: &Effect, method: &Method, placement: &Placement) -> Result<(), String> {
    let (called, inside) = match placement {
        Placement::Inside { callee, .. } => (callee, true),
        _ => (method, false),
    };
    let mut problem = None;
    let mut base = |base: Base| match base {
        Base::Arg(n) if n >= called.parameters.count && !called.parameters.open => {
            problem = Some(format!("`{called}` has no arg{n}; the first argument is arg0"));
        }
        Base::Result if matches!(effect.when, When::Before | When::Thrown | When::Left) => {
            problem = Some(format!("there is no result `{}`; use `after`", effect.when.word()));
        }
        Base::Outer | Base::OuterArg(_) if !inside => {
            problem = Some("`outer` is for `inside` lines only".to_owned());
        }
        Base::OuterArg(n) if n >= method.parameters.count && !method.parameters.open => {
            problem = Some(format!("`{method}` has no argument {n}; the first is outer0"));
        }
        Base::This if &*called.name == "<init>" && matches!(effect.when, When::Before | When::Around) => {
            problem =
                Some("`this` is not yet made before `<init>`; use an effect that comes `after`".to_owned());
        }
        _ => {}
    };
    effect.action.targets(&mut |target| base(target.base));
    effect.action.numbers(&mut base);
    if problem.is_some() {
        return problem.map_or(Ok(()), Err);
    }
    let usual = effect.action.usual();
    if usual == When::Around && effect.when != When::Around {
        return Err(format!("`{}` spans the call; leave out `{}`", effect.action, effect.when.word()));
    }
    let late = matches!(effect.when, When::After | When::Around);
    match effect.condition {
        Condition::Always => Ok(()),
        Condition::Ended if !matches!(effect.action, Action::Join(_)) => {
            Err("`if ended` is for `join` only".to_owned())
        }
        Condition::Ended => Ok(()),
        condition if !late => Err(format!(
            "`if {}` looks at the result, which is not known `{}`",
            condition.word(),
            effect.when.word()
        )),
        _ => Ok(()),
    }
}

/// Names with `*` where methods are looked up by name.
pub(super) fn check_names(method: &Method, placement: &Placement) -> Result<(), String> {
    let holder_only =
        "`*` in a method's name is for the holder of an `inside` line only, and there alone: `*(*)`";
    let allowed = match placement {
        Placement::Inside { callee, .. } => {
            !callee.name.ends_with('*') && (!method.name.ends_with('*') || &*method.name == "*")
        }
        Placement::Call | Placement::Body => !method.name.ends_with('*'),
    };
    if allowed { Ok(()) } else { Err(holder_only.to_owned()) }
}
