//! The statements of a model table as plain data: lines, kinds, tests, entries, and what is left unwatched.
//!
//! Class names are in the class file's own form (`java/util/Map`), since that is what the weaver asks with; they are
//! printed with dots.

use super::effect::{Effect, Target};

/// Which call or body has which effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The class that the table names: owner of the method, or holder of the code for body and inside lines.
    pub class: Box<str>,
    /// Whether the line also speaks for woven subclasses that override the method.
    pub subclasses: bool,
    /// Where the effects are placed.
    pub placement: Placement,
    /// The method of that class.
    pub method: Method,
    /// Which JDKs it holds for.
    pub jdk: Versions,
    /// What happens, in this order.
    pub effects: Vec<Effect>,
    /// Where it is written.
    pub source: Source,
}

/// Where effects are placed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Placement {
    /// At call sites in woven code.
    Call,
    /// At entry and exit of the method's own code.
    Body,
    /// At the calls of another method within the method's own code.
    Inside {
        /// The class named by the call.
        owner: Box<str>,
        /// The method called.
        callee: Method,
    },
}

/// A method, by name and parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    /// Its name; `*` is any (the holder of an inside line only), `test*` any that starts so (tests only).
    pub name: Box<str>,
    /// Its parameters.
    pub parameters: Parameters,
    /// Its return type as a descriptor, where the table tells it.
    pub returns: Option<Box<str>>,
}

/// Parameters as descriptors.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Parameters {
    /// The descriptors of the parameters, one after the other.
    pub descriptor: Box<str>,
    /// How many they are.
    pub count: u8,
    /// Whether any others may follow.
    pub open: bool,
}

/// From which JDK to which, both included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Versions {
    /// The first.
    pub from: u16,
    /// The last.
    pub to: u16,
}

/// Where a statement is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source {
    /// Which file, an index into [`Models::files`](super::Models::files).
    pub file: u32,
    /// Which line, counted from 1.
    pub line: u32,
}

/// Two statements are the same wherever they are written.
impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Source {}

/// What kind of object a class makes: gives `inspects` and `mutates` their meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The class; its subclasses are of the same kind unless they have their own.
    pub class: Box<str>,
    /// The kind.
    pub word: KindWord,
    /// The object whose monitor guards it (synchronised only).
    pub mutex: Option<Target>,
    /// The object that it stands for (synchronised and wrapper).
    pub of: Option<Target>,
    /// Which JDKs it holds for.
    pub jdk: Versions,
    /// Where it is written.
    pub source: Source,
}

/// The kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KindWord {
    /// Inspects = plain read, mutates = plain write, of the object as one variable.
    Unsynchronised,
    /// As for the object it stands for, within the mutex's monitor. Held: the weaver takes the monitor around the call
    /// and records acquire, access and release within, so that the trace has them in the true order; the call takes
    /// the same monitor anyway. Not held (arguments, and where the line says `unheld`): to hold it could make a
    /// deadlock that the program does not have, so the weaver takes it twice for a moment, before and after the call,
    /// each time to record acquire, access and release.
    Synchronised,
    /// Mutates = signal before and observe after; inspects = observe after. Where the same line runs code now, also
    /// the other way round: that code sees what others did and does what others see. One channel a container: coarser
    /// than one a key, so races may be missed, but no order that is there is overlooked.
    Concurrent,
    /// As for the object it stands for (views, iterators, unmodifiable wrappers).
    Wrapper,
    /// Nothing can change: no effect.
    Immutable,
    /// Any thread may call it at any time: no effect, and no order either.
    ThreadSafe,
}

/// A decision that methods have no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ignore {
    /// The class.
    pub class: Box<str>,
    /// The method's name.
    pub name: Box<str>,
    /// Its parameters; none: every method of that name.
    pub parameters: Option<Parameters>,
    /// Why.
    pub reason: Box<str>,
    /// Where it is written.
    pub source: Source,
}

/// What code is run by a framework: a test, or an entry that any thread may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// A test or an entry.
    pub role: Role,
    /// How to know it.
    pub mark: Mark,
    /// Where it is written.
    pub source: Source,
}

/// What a root is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A test: findings name the one that was running.
    Test,
    /// A method that a framework calls from threads of its own.
    Entry,
}

/// How a root is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// By an annotation on the method. The name may be `*/Simple`: any package.
    Annotation(Box<str>),
    /// By a method of a class or its subclasses. The name may be `*/Simple`.
    Method(Box<str>, Method),
}

/// Code that is not watched by default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwatched {
    /// A class, or a package with all below it.
    pub name: Box<str>,
    /// Whether it is a package.
    pub package: bool,
    /// Where it is written.
    pub source: Source,
}

impl Versions {
    /// Every version.
    pub const ALL: Self = Self { from: 0, to: u16::MAX };

    /// Whether a version is in the range.
    pub fn contains(self, version: u16) -> bool {
        self.from <= version && version <= self.to
    }

    /// Whether some version is in both ranges.
    pub fn meets(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// The versions in both ranges; none if there are none.
    pub fn both(self, other: Self) -> Option<Self> {
        let both = Self { from: self.from.max(other.from), to: self.to.min(other.to) };
        (both.from <= both.to).then_some(both)
    }
}

impl Parameters {
    /// Whether a method descriptor such as `(ILjava/lang/Object;)V` has these parameters.
    pub fn matches(&self, descriptor: &str) -> bool {
        // Type descriptors are a prefix code, so a textual prefix ends where a parameter ends.
        let Some(rest) = descriptor.strip_prefix('(').and_then(|rest| rest.strip_prefix(&*self.descriptor))
        else {
            return false;
        };
        self.open || rest.starts_with(')')
    }
}

impl Method {
    /// Whether a method of this name and descriptor is meant.
    pub fn matches(&self, name: &str, descriptor: &str) -> bool {
        let named = match self.name.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *self.name == *name,
        };
        named
            && self.parameters.matches(descriptor)
            && match &self.returns {
                None => true,
                Some(returns) => descriptor.rsplit_once(')').is_some_and(|(_, found)| found == &**returns),
            }
    }
}

impl Line {
    /// What two lines have in common of which the later replaces the earlier.
    pub(super) fn key(&self) -> super::Key<'_> {
        (&self.class, &self.placement, &self.method)
    }
}

impl Ignore {
    /// Whether the decision is about this method.
    pub fn covers(&self, class: &str, method: &Method) -> bool {
        *self.class == *class
            && self.name == method.name
            && self.parameters.as_ref().is_none_or(|parameters| *parameters == method.parameters)
    }
}

impl Mark {
    /// Whether a class name in the class file's form is the one meant by a name that may be `*/Simple`.
    pub fn names(pattern: &str, class: &str) -> bool {
        match pattern.strip_prefix("*/") {
            Some(simple) => class.rsplit(['/', '$']).next() == Some(simple),
            None => pattern == class,
        }
    }
}

impl Unwatched {
    /// Whether a class is meant.
    pub fn covers(&self, class: &str) -> bool {
        match class.strip_prefix(&*self.name) {
            Some(rest) if self.package => rest.starts_with('/'),
            Some(rest) => rest.is_empty() || rest.starts_with('$'),
            None => false,
        }
    }
}
