//! What a model line says that a call does: effects, their targets, when they hold.
//!
//! Plain data. How an effect becomes events is the weaver's business; what it means is said at each item here.

/// One effect of a line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Effect {
    /// At which moment it is recorded.
    pub when: When,
    /// What happens.
    pub action: Action,
    /// Under which condition it happens at all.
    pub condition: Condition,
}

/// The moment of an effect. Every action has its usual moment ([`Action::usual`]): what gives order comes before the
/// operation, what takes order after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// Before the call, or at the entry of the body.
    Before,
    /// After the call has returned, or at the body's normal exit.
    After,
    /// When the call or body is left by an exception.
    Thrown,
    /// After the call or body, whichever way it ends.
    Left,
    /// Spans the call: the action itself says what is recorded before and what after.
    Around,
}

/// What happens.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Takes a lock.
    Acquire {
        /// The lock.
        lock: Target,
        /// How.
        mode: LockMode,
    },
    /// Gives a lock up. A release of what the thread does not hold is to be left out: the call will throw.
    Release {
        /// The lock.
        lock: Target,
        /// How it was held.
        mode: LockMode,
    },
    /// Turns the lock of one stamp into another mode. From read to write both events come after the call (the lock
    /// is never free in between); to read or none the release comes before the call and the acquire after it.
    Convert {
        /// The lock.
        lock: Target,
        /// The old stamp, whose mode is given up.
        stamp: Target,
        /// The new mode; none: the lock is given up or only looked at.
        to: Option<LockMode>,
    },
    /// Gives the lock up before the call and holds it again when the call is left.
    Wait {
        /// The lock.
        lock: Target,
    },
    /// The call takes this object's monitor inside. To keep events in order the weaver holds the same monitor around
    /// the call: acquire after taking it, release before giving it up.
    Locks {
        /// The object whose monitor it is.
        lock: Target,
    },
    /// Gives order to whoever observes the channel later.
    Signal(Channel),
    /// Takes order from all earlier signals.
    Observe(Channel),
    /// Starts a thread.
    Fork(Target),
    /// Has waited for a thread's end.
    Join(Target),
    /// Accesses a variable as if it were volatile. An update reads after the call and writes before it; with a
    /// condition the write (not the read) depends on it.
    Volatile {
        /// Read, write or both.
        access: Access,
        /// Which variable.
        variable: Variable,
    },
    /// A plain access of a variable. A target alone is the whole object as one variable.
    Plain {
        /// Read or write.
        access: Access,
        /// Which variable.
        variable: Variable,
    },
    /// Plain accesses of array elements.
    Elements {
        /// Read or write.
        access: Access,
        /// The array; not an array or null: nothing is accessed.
        array: Target,
        /// Which elements; cut to the array's length.
        range: Range,
    },
    /// Looks at or changes a collection. What this means depends on the kind of its run-time class
    /// ([`KindWord`](super::KindWord)).
    Uses {
        /// The collection.
        target: Target,
        /// Whether it is changed.
        mutates: bool,
        /// For a synchronised collection: whether its monitor may be held around the call, because the call takes it
        /// anyway and before anything else. Only the receiver's ever is.
        held: bool,
    },
    /// From now on the part stands for the whole (`whole of`): a condition for its lock, a view for its collection.
    Part {
        /// The part.
        part: Target,
        /// What it is part of.
        whole: Target,
        /// Whether it may be forgotten at the price of missed races only (a view), or is needed for the right lock.
        view: bool,
    },
    /// Runs the code of an object (a lambda, a task).
    Runs {
        /// The object.
        code: Target,
        /// Whether in the same thread before the call returns; otherwise it is the root of a thread.
        now: bool,
    },
}

/// How a lock is held.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LockMode {
    /// Alone.
    Exclusive,
    /// Together with other readers.
    Read,
    /// Not at all: what the thread reads until the release was read on trial. The program checks itself whether it
    /// was disturbed, so these reads are left out.
    Optimistic,
    /// As the stamp in the target says (`StampedLock`).
    Stamp(Target),
}

/// Read, write, or both.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one step. Not for plain accesses.
    Update,
}

/// What gives order: an object, and which of its several orders.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// The object.
    pub object: Target,
    /// Tells several channels of one object apart (`for result`).
    pub purpose: Option<Box<str>>,
}

/// An object that takes part in a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// Where it starts.
    pub base: Base,
    /// Fields to follow from there; null on the way: no effect.
    pub fields: Vec<Box<str>>,
    /// Which object is meant, seen from there.
    pub reach: Reach,
}

/// Which object is meant, seen from the one that a target leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reach {
    /// That one.
    Itself,
    /// The whole that it was said to be a part of.
    Whole,
    /// The last one that its final field leads to, followed again and again; itself if that field is null.
    Last,
    /// Each element: it is an array, or a list of the JDK's own that any thread may index.
    Each,
}

/// Where a target starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// The receiver of the call; in a body line the method's `this`.
    This,
    /// An argument, counted from 0 and without the receiver.
    Arg(u8),
    /// What the call returned.
    Result,
    /// The current thread.
    Thread,
    /// In an inside line: `this` of the method that holds the call.
    Outer,
    /// In an inside line: an argument of the method that holds the call.
    OuterArg(u8),
    /// The line's class itself, as one object.
    Class,
}

/// Which variable an access means.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Variable {
    /// The object as one variable.
    Object(Target),
    /// An element (`this[arg0]`) of an array or of an object that holds one.
    Element(Target, Base),
    /// What a `VarHandle` reaches at the call's leading arguments.
    Handle(Target),
    /// The field that a field updater was made for, in an object.
    Field {
        /// The updater.
        updater: Target,
        /// The object.
        object: Target,
    },
    /// `Unsafe`: an object and an offset.
    Memory {
        /// The object; null: no variable of the program.
        object: Target,
        /// The argument that holds the offset.
        offset: Base,
    },
}

/// Which elements of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Range {
    /// All.
    Whole,
    /// So many from a start.
    Length {
        /// The first.
        from: Bound,
        /// How many.
        length: Bound,
    },
    /// From a start up to an end that is not part of it.
    Until {
        /// The first.
        from: Bound,
        /// One past the last.
        to: Bound,
    },
}

/// A number known at the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// A constant.
    Number(u32),
    /// An argument or the result.
    Value(Base),
    /// The difference of two arguments.
    Difference(u8, u8),
}

/// Under which condition an effect happens.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// Always.
    Always,
    /// The result is true.
    True,
    /// The result is false.
    False,
    /// The result is 0.
    Zero,
    /// The result is not 0.
    Nonzero,
    /// The result is greater than 0.
    Positive,
    /// The result is null.
    Null,
    /// The result is not null.
    Nonnull,
    /// The thread that is joined was started and has ended.
    Ended,
}

impl Action {
    /// The moment at which this action is recorded unless the line says otherwise.
    pub fn usual(&self) -> When {
        match self {
            Action::Acquire { .. } | Action::Observe(_) | Action::Join(_) | Action::Part { .. } => {
                When::After
            }
            Action::Release { .. } | Action::Signal(_) | Action::Fork(_) | Action::Plain { .. } => {
                When::Before
            }
            Action::Elements { .. } => When::After,
            Action::Volatile { access, .. } => match access {
                Access::Read => When::After,
                Access::Write => When::Before,
                Access::Update => When::Around,
            },
            Action::Convert { .. } | Action::Wait { .. } | Action::Locks { .. } => When::Around,
            Action::Uses { .. } => When::Around,
            Action::Runs { now, .. } => {
                if *now {
                    When::Around
                } else {
                    When::Before
                }
            }
        }
    }

    /// Calls back with every target the action names.
    pub fn targets<'a>(&'a self, see: &mut dyn FnMut(&'a Target)) {
        match self {
            Action::Acquire { lock, mode } | Action::Release { lock, mode } => {
                see(lock);
                if let LockMode::Stamp(stamp) = mode {
                    see(stamp);
                }
            }
            Action::Convert { lock, stamp, .. } => {
                see(lock);
                see(stamp);
            }
            Action::Wait { lock } | Action::Locks { lock } => see(lock),
            Action::Signal(channel) | Action::Observe(channel) => see(&channel.object),
            Action::Fork(target) | Action::Join(target) => see(target),
            Action::Uses { target, .. } => see(target),
            Action::Volatile { variable, .. } | Action::Plain { variable, .. } => match variable {
                Variable::Object(target) | Variable::Element(target, _) | Variable::Handle(target) => {
                    see(target)
                }
                Variable::Field { updater, object } => {
                    see(updater);
                    see(object);
                }
                Variable::Memory { object, .. } => see(object),
            },
            Action::Elements { array, .. } => see(array),
            Action::Part { part, whole, .. } => {
                see(part);
                see(whole);
            }
            Action::Runs { code, .. } => see(code),
        }
    }

    /// Calls back with every number the action takes from the call.
    pub fn numbers(&self, see: &mut dyn FnMut(Base)) {
        let mut bound = |bound: &Bound| match bound {
            Bound::Number(_) => {}
            Bound::Value(base) => see(*base),
            Bound::Difference(a, b) => {
                see(Base::Arg(*a));
                see(Base::Arg(*b));
            }
        };
        match self {
            Action::Elements {
                range: Range::Length { from, length: end } | Range::Until { from, to: end },
                ..
            } => {
                bound(from);
                bound(end);
            }
            Action::Volatile { variable, .. } | Action::Plain { variable, .. } => match variable {
                Variable::Element(_, base) | Variable::Memory { offset: base, .. } => {
                    bound(&Bound::Value(*base))
                }
                _ => {}
            },
            _ => {}
        }
    }
}

impl Target {
    /// Whether this is the receiver itself.
    pub fn is_receiver(&self) -> bool {
        self.base == Base::This && self.reach == Reach::Itself && self.fields.is_empty()
    }

    /// A target without fields.
    pub fn plain(base: Base) -> Self {
        Self { base, fields: Vec::new(), reach: Reach::Itself }
    }
}
