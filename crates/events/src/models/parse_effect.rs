//! Effects of a model line: words to plain data. The grammar stands at the head of `mod.rs`.

use super::effect::{
    Access, Action, Base, Bound, Channel, Condition, Effect, LockMode, Range, Reach, Target, Variable, When,
};
use super::words::{Cursor, Wrong};
use crate::error::quote;

const WHENS: &[(&str, When)] =
    &[("before", When::Before), ("after", When::After), ("thrown", When::Thrown), ("left", When::Left)];

const CONDITIONS: &[(&str, Condition)] = &[
    ("true", Condition::True),
    ("false", Condition::False),
    ("zero", Condition::Zero),
    ("nonzero", Condition::Nonzero),
    ("positive", Condition::Positive),
    ("null", Condition::Null),
    ("nonnull", Condition::Nonnull),
    ("ended", Condition::Ended),
];

#[derive(Clone, Copy)]
enum Verb {
    Acquire,
    Release,
    Convert,
    Wait,
    Locks,
    Signal,
    Observe,
    Fork,
    Join,
    Volatile,
    Read,
    Write,
    Inspects,
    Mutates,
    Part,
    View,
    Runs,
}

const VERBS: &[(&str, Verb)] = &[
    ("acquire", Verb::Acquire),
    ("release", Verb::Release),
    ("convert", Verb::Convert),
    ("wait", Verb::Wait),
    ("locks", Verb::Locks),
    ("signal", Verb::Signal),
    ("observe", Verb::Observe),
    ("fork", Verb::Fork),
    ("join", Verb::Join),
    ("volatile", Verb::Volatile),
    ("read", Verb::Read),
    ("write", Verb::Write),
    ("inspects", Verb::Inspects),
    ("mutates", Verb::Mutates),
    ("part", Verb::Part),
    ("view", Verb::View),
    ("runs", Verb::Runs),
];

const ACCESSES: &[(&str, Access)] =
    &[("read", Access::Read), ("write", Access::Write), ("update", Access::Update)];

/// `[when] action [if condition]`.
pub(super) fn effect(words: &mut Cursor) -> Result<Effect, Wrong> {
    let when = WHENS.iter().find(|(word, _)| words.take(word)).map(|(_, when)| *when);
    let action = action(words)?;
    let condition = match words.take("if") {
        true => words.one_of("a condition", CONDITIONS)?,
        false => Condition::Always,
    };
    Ok(Effect { when: when.unwrap_or_else(|| action.usual()), action, condition })
}

fn action(words: &mut Cursor) -> Result<Action, Wrong> {
    Ok(match words.one_of("an effect", VERBS)? {
        Verb::Acquire => Action::Acquire { lock: target(words)?, mode: mode(words)? },
        Verb::Release => Action::Release { lock: target(words)?, mode: mode(words)? },
        Verb::Convert => {
            let lock = target(words)?;
            words.expect("from", "the lock")?;
            let stamp = target(words)?;
            words.expect("to", "the stamp")?;
            let modes = &[("write", 0), ("read", 1), ("none", 2)];
            let to = match words.one_of("the new mode", modes)? {
                0 => Some(LockMode::Exclusive),
                1 => Some(LockMode::Read),
                _ => None,
            };
            Action::Convert { lock, stamp, to }
        }
        Verb::Wait => Action::Wait { lock: target(words)? },
        Verb::Locks => Action::Locks { lock: target(words)? },
        Verb::Signal => Action::Signal(channel(words)?),
        Verb::Observe => Action::Observe(channel(words)?),
        Verb::Fork => Action::Fork(target(words)?),
        Verb::Join => Action::Join(target(words)?),
        Verb::Volatile => {
            let access = words.one_of("`read`, `write` or `update`", ACCESSES)?;
            Action::Volatile { access, variable: variable(words)? }
        }
        Verb::Read => access(words, Access::Read)?,
        Verb::Write => access(words, Access::Write)?,
        Verb::Inspects => uses(words, false)?,
        Verb::Mutates => uses(words, true)?,
        Verb::Part => part(words, false)?,
        Verb::View => part(words, true)?,
        Verb::Runs => {
            let code = target(words)?;
            let now = words.one_of("when it runs", &[("now", true), ("later", false)])?;
            Action::Runs { code, now }
        }
    })
}

fn access(words: &mut Cursor, access: Access) -> Result<Action, Wrong> {
    if !words.take("array") {
        return Ok(Action::Plain { access, variable: variable(words)? });
    }
    let array = target(words)?;
    if !words.take("from") {
        return Ok(Action::Elements { access, array, range: Range::Whole });
    }
    let from = bound(words)?;
    let range = match words.one_of("the end of the range", &[("length", true), ("to", false)])? {
        true => Range::Length { from, length: bound(words)? },
        false => Range::Until { from, to: bound(words)? },
    };
    Ok(Action::Elements { access, array, range })
}

fn uses(words: &mut Cursor, mutates: bool) -> Result<Action, Wrong> {
    let target = target(words)?;
    let held = target.is_receiver() && !words.take("unheld");
    Ok(Action::Uses { target, mutates, held })
}

fn part(words: &mut Cursor, view: bool) -> Result<Action, Wrong> {
    let part = target(words)?;
    words.expect("of", "the part")?;
    Ok(Action::Part { part, whole: target(words)?, view })
}

fn mode(words: &mut Cursor) -> Result<LockMode, Wrong> {
    Ok(if words.take("read") {
        LockMode::Read
    } else if words.take("optimistic") {
        LockMode::Optimistic
    } else if words.take("by") {
        LockMode::Stamp(target(words)?)
    } else {
        LockMode::Exclusive
    })
}

fn channel(words: &mut Cursor) -> Result<Channel, Wrong> {
    let object = target(words)?;
    let purpose = match words.take("for") {
        true => Some(words.word("the channel's purpose, a word of your own")?.into()),
        false => None,
    };
    Ok(Channel { object, purpose })
}

/// `this`, `arg0.field`, `whole of this`, …
pub(super) fn target(words: &mut Cursor) -> Result<Target, Wrong> {
    let reach = if words.take("whole") {
        words.expect("of", "`whole`")?;
        Reach::Whole
    } else if words.take("last") {
        words.expect("of", "`last`")?;
        Reach::Last
    } else if words.take("each") {
        Reach::Each
    } else {
        Reach::Itself
    };
    let word = words.word("an object such as `this` or `arg0`")?;
    let mut parts = word.split('.');
    let first = parts.next().unwrap_or("");
    let Some(base) = base(first) else {
        let all = "`this`, `arg0`, `result`, `thread`, `outer` or `class`";
        return Err(words.wrong_before(format!("expected an object, found {}; write {all}", quote(word))));
    };
    let fields: Vec<Box<str>> = parts.map(Box::from).collect();
    let named =
        |field: &str| !field.is_empty() && field.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if !fields.iter().all(|field| named(field)) {
        return Err(words.wrong_before(format!("expected fields such as `this.sync`, found {}", quote(word))));
    }
    Ok(Target { base, fields, reach })
}

fn base(word: &str) -> Option<Base> {
    Some(match word {
        "this" => Base::This,
        "result" => Base::Result,
        "thread" => Base::Thread,
        "outer" => Base::Outer,
        "class" => Base::Class,
        _ => match word.strip_prefix("outer") {
            Some(digits) => Base::OuterArg(small(digits)?),
            None => Base::Arg(argument(word)?),
        },
    })
}

fn argument(word: &str) -> Option<u8> {
    small(word.strip_prefix("arg")?)
}

/// A small number without leading zeros, so that it is printed as it was written.
fn small(digits: &str) -> Option<u8> {
    let canonical = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| canonical)
}

/// A base that holds a number: an argument or the result.
fn number(words: &mut Cursor) -> Result<Base, Wrong> {
    let word = words.word("a number such as `arg1`")?;
    match base(word) {
        Some(found @ (Base::Arg(_) | Base::Result)) => Ok(found),
        _ => {
            Err(words.wrong_before(format!("expected `arg0`, `arg1`, … or `result`, found {}", quote(word))))
        }
    }
}

fn bound(words: &mut Cursor) -> Result<Bound, Wrong> {
    let word = words.peek().unwrap_or("");
    if let Some((a, b)) = word.split_once('-')
        && let (Some(a), Some(b)) = (argument(a), argument(b))
    {
        words.word("a number")?;
        return Ok(Bound::Difference(a, b));
    }
    if let Ok(constant) = word.parse::<u32>()
        && !word.starts_with('+')
    {
        words.word("a number")?;
        return Ok(Bound::Number(constant));
    }
    Ok(Bound::Value(number(words)?))
}

fn variable(words: &mut Cursor) -> Result<Variable, Wrong> {
    if words.take("handle") {
        return Ok(Variable::Handle(target(words)?));
    }
    if words.take("field") {
        let updater = target(words)?;
        words.expect("in", "the updater")?;
        return Ok(Variable::Field { updater, object: target(words)? });
    }
    if words.take("memory") {
        let object = target(words)?;
        words.expect("at", "the object")?;
        return Ok(Variable::Memory { object, offset: number(words)? });
    }
    let object = target(words)?;
    if !words.take("[") {
        return Ok(Variable::Object(object));
    }
    let index = number(words)?;
    words.expect("]", "the index")?;
    Ok(Variable::Element(object, index))
}
