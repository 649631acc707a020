//! Statements printed in the grammar of `mod.rs`, so that they can be read back.

use std::fmt::{self, Display, Formatter, Write};

use super::effect::{
    Access, Action, Base, Bound, Channel, Condition, Effect, LockMode, Range, Reach, Target, Variable, When,
};
use super::line::{
    Ignore, Kind, KindWord, Line, Mark, Method, Parameters, Placement, Role, Root, Unwatched, Versions,
};

/// A class name with dots.
pub fn dotted(class: &str) -> String {
    class.replace('/', ".")
}

/// The types of a parameter list as Java writes them; a malformed rest is printed as it is.
fn types(descriptors: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = descriptors;
    while !rest.is_empty() {
        let brackets = rest.chars().take_while(|c| *c == '[').count();
        let inner = &rest[brackets..];
        let length = match inner.find(';') {
            Some(end) if inner.starts_with('L') => end + 1,
            _ => inner.chars().next().map_or(0, char::len_utf8),
        };
        let (one, after) = inner.split_at(length);
        let name = match one {
            "Z" => "boolean".to_owned(),
            "B" => "byte".to_owned(),
            "C" => "char".to_owned(),
            "S" => "short".to_owned(),
            "I" => "int".to_owned(),
            "J" => "long".to_owned(),
            "F" => "float".to_owned(),
            "D" => "double".to_owned(),
            "V" => "void".to_owned(),
            other => dotted(other.strip_prefix('L').unwrap_or(other).trim_end_matches(';')),
        };
        found.push(format!("{name}{}", "[]".repeat(brackets)));
        rest = after;
    }
    found
}

impl Display for Parameters {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut shown = types(&self.descriptor);
        if self.open {
            shown.push("*".to_owned());
        }
        write!(f, "({})", shown.join(", "))
    }
}

impl Display for Method {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(returns) = &self.returns {
            write!(f, "{} ", types(returns).concat())?;
        }
        write!(f, "{}{}", self.name, self.parameters)
    }
}

impl Display for Versions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self.from, self.to) {
            (0, u16::MAX) => Ok(()),
            (from, to) if from == to => write!(f, " jdk {from}"),
            (0, to) => write!(f, " jdk ..{to}"),
            (from, u16::MAX) => write!(f, " jdk {from}.."),
            (from, to) => write!(f, " jdk {from}..{to}"),
        }
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.placement {
            Placement::Call => write!(f, "call {}", self.method)?,
            Placement::Body => write!(f, "body {}", self.method)?,
            Placement::Inside { owner, callee } => {
                write!(f, "inside {} at ", self.method)?;
                if let Some(returns) = &callee.returns {
                    write!(f, "{} ", types(returns).concat())?;
                }
                write!(f, "{}.{}{}", dotted(owner), callee.name, callee.parameters)?;
            }
        }
        write!(f, "{}:", self.jdk)?;
        if self.effects.is_empty() {
            return f.write_str(" nothing");
        }
        for (index, effect) in self.effects.iter().enumerate() {
            f.write_str(if index == 0 { " " } else { "; " })?;
            effect.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Effect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.when != self.action.usual() {
            f.write_str(self.when.word())?;
            f.write_char(' ')?;
        }
        self.action.fmt(f)?;
        match self.condition {
            Condition::Always => Ok(()),
            condition => write!(f, " if {}", condition.word()),
        }
    }
}

impl When {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            When::Before => "before",
            When::After => "after",
            When::Thrown => "thrown",
            When::Left => "left",
            When::Around => "around",
        }
    }
}

impl Condition {
    /// The word after `if`.
    pub fn word(self) -> &'static str {
        match self {
            Condition::Always => "always",
            Condition::True => "true",
            Condition::False => "false",
            Condition::Zero => "zero",
            Condition::Nonzero => "nonzero",
            Condition::Positive => "positive",
            Condition::Null => "null",
            Condition::Nonnull => "nonnull",
            Condition::Ended => "ended",
        }
    }
}

impl Access {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Update => "update",
        }
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Action::Acquire { lock, mode } => write!(f, "acquire {lock}{mode}"),
            Action::Release { lock, mode } => write!(f, "release {lock}{mode}"),
            Action::Convert { lock, stamp, to } => {
                let to = match to {
                    None => "none",
                    Some(LockMode::Read) => "read",
                    Some(_) => "write",
                };
                write!(f, "convert {lock} from {stamp} to {to}")
            }
            Action::Wait { lock } => write!(f, "wait {lock}"),
            Action::Locks { lock } => write!(f, "locks {lock}"),
            Action::Signal(channel) => write!(f, "signal {channel}"),
            Action::Observe(channel) => write!(f, "observe {channel}"),
            Action::Fork(target) => write!(f, "fork {target}"),
            Action::Join(target) => write!(f, "join {target}"),
            Action::Volatile { access, variable } => write!(f, "volatile {} {variable}", access.word()),
            Action::Plain { access, variable } => write!(f, "{} {variable}", access.word()),
            Action::Elements { access, array, range } => write!(f, "{} array {array}{range}", access.word()),
            Action::Uses { target, mutates, held } => {
                let verb = if *mutates { "mutates" } else { "inspects" };
                let unheld = if *held || !target.is_receiver() { "" } else { " unheld" };
                write!(f, "{verb} {target}{unheld}")
            }
            Action::Part { part, whole, view } => {
                write!(f, "{} {part} of {whole}", if *view { "view" } else { "part" })
            }
            Action::Runs { code, now } => write!(f, "runs {code} {}", if *now { "now" } else { "later" }),
        }
    }
}

impl Display for LockMode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            LockMode::Exclusive => Ok(()),
            LockMode::Read => f.write_str(" read"),
            LockMode::Optimistic => f.write_str(" optimistic"),
            LockMode::Stamp(stamp) => write!(f, " by {stamp}"),
        }
    }
}

impl Display for Channel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)?;
        match &self.purpose {
            None => Ok(()),
            Some(purpose) => write!(f, " for {purpose}"),
        }
    }
}

impl Display for Base {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Base::This => f.write_str("this"),
            Base::Arg(n) => write!(f, "arg{n}"),
            Base::Result => f.write_str("result"),
            Base::Thread => f.write_str("thread"),
            Base::Outer => f.write_str("outer"),
            Base::OuterArg(n) => write!(f, "outer{n}"),
            Base::Class => f.write_str("class"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.reach {
            Reach::Itself => "",
            Reach::Whole => "whole of ",
            Reach::Last => "last of ",
            Reach::Each => "each ",
        })?;
        self.base.fmt(f)?;
        self.fields.iter().try_for_each(|field| write!(f, ".{field}"))
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Variable::Object(target) => target.fmt(f),
            Variable::Element(target, index) => write!(f, "{target}[{index}]"),
            Variable::Handle(target) => write!(f, "handle {target}"),
            Variable::Field { updater, object } => write!(f, "field {updater} in {object}"),
            Variable::Memory { object, offset } => write!(f, "memory {object} at {offset}"),
        }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Range::Whole => Ok(()),
            Range::Length { from, length } => write!(f, " from {from} length {length}"),
            Range::Until { from, to } => write!(f, " from {from} to {to}"),
        }
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Number(n) => n.fmt(f),
            Bound::Value(base) => base.fmt(f),
            Bound::Difference(a, b) => write!(f, "arg{a}-arg{b}"),
        }
    }
}

impl KindWord {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            KindWord::Unsynchronised => "unsynchronised",
            KindWord::Synchronised => "synchronised",
            KindWord::Concurrent => "concurrent",
            KindWord::Wrapper => "wrapper",
            KindWord::Immutable => "immutable",
            KindWord::ThreadSafe => "thread-safe",
        }
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kind {} {}", self.word.word(), dotted(&self.class))?;
        if let Some(mutex) = &self.mutex {
            write!(f, " mutex {mutex}")?;
        }
        if let Some(of) = &self.of {
            write!(f, " of {of}")?;
        }
        self.jdk.fmt(f)
    }
}

impl Display for Ignore {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ignore {}", self.name)?;
        if let Some(parameters) = &self.parameters {
            parameters.fmt(f)?;
        }
        write!(f, " because {}", self.reason)
    }
}

impl Display for Root {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self.role {
            Role::Test => "test ",
            Role::Entry => "entry ",
        })?;
        match &self.mark {
            Mark::Annotation(name) => write!(f, "annotation {}", dotted(name)),
            Mark::Method(class, method) => write!(f, "class {} {method}", dotted(class)),
        }
    }
}

impl Display for Unwatched {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let what = if self.package { "package" } else { "class" };
        write!(f, "unwatched {what} {}", dotted(&self.name))
    }
}
