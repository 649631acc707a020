//! What a thread can do, and the ids it does it with.
//!
//! An [`Event`] is sixteen bytes: every operand is an index into the trace's [`Symbols`](crate::Symbols), so that a
//! detector can keep its state in a plain vector. Names, objects and field declarations are looked up only when
//! something is reported.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            #[inline(always)]
            fn from(index: u32) -> Self {
                Self(index)
            }
        }

        impl From<$name> for u32 {
            #[inline(always)]
            fn from(id: $name) -> u32 {
                id.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )+};
}

ids! {
    /// A thread, platform or virtual.
    ThreadId,
    /// A place in the program's code, perhaps with the calls that led to it.
    SiteId,
    /// A variable: an instance field of one object, a static field, or a range of array elements.
    /// The index is used again once the object has been freed.
    VarId,
    /// A lock; a read/write lock is one lock with two modes.
    LockId,
    /// Something that only gives order: a latch, a queue, a future, the initialisation of a class.
    ChannelId,
    /// Code whose atomicity is checked: a method or a synchronized block.
    BlockId,
    /// A value flow that the weaver was asked to watch.
    FlowId,
    /// An object. The index is used again once the object has been freed; its label never is.
    ObjectId,
    /// A class, by its defining loader.
    ClassId,
    /// A method of a class.
    MethodId,
    /// A field of a class.
    FieldId,
    /// An example stack of a thread at a site.
    StackId,
    /// A string.
    StrId,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Mode {
    /// Alone: a monitor, a mutex, the write side of a read/write lock.
    Exclusive,
    /// Together with other readers.
    Read,
}

/// One operation of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Reads a plain variable.
    Read {
        /// What is read.
        var: VarId,
    },
    /// Writes a plain variable.
    Write {
        /// What is written.
        var: VarId,
    },
    /// A watched value: what the thread has read last is one, or it is about to use the one of its last such event.
    Flow {
        /// Which flow.
        flow: FlowId,
        /// Whether the value is used; else it was read.
        used: bool,
    },
    /// Reads a volatile variable. An atomic update is two events, read then write, both with `update` set; an
    /// update that failed (compare-and-set) is the read alone.
    VolatileRead {
        /// What is read.
        var: VarId,
        /// Whether this is the first half of an atomic update.
        update: bool,
    },
    /// Writes a volatile variable.
    VolatileWrite {
        /// What is written.
        var: VarId,
        /// Whether this is the second half of an atomic update.
        update: bool,
    },
    /// Takes a lock that the thread does not hold yet.
    Acquire {
        /// Which lock.
        lock: LockId,
        /// How.
        mode: Mode,
        /// Whether the thread did not wait for it for good: it tried and would have gone on without it, or went on from
        /// one mode to another in one step. No deadlock begins with it.
        tries: bool,
    },
    /// Gives a lock up for good.
    Release {
        /// Which lock.
        lock: LockId,
        /// How it was held.
        mode: Mode,
    },
    /// Takes a lock once more that the thread holds already.
    Reenter {
        /// Which lock.
        lock: LockId,
    },
    /// Undoes a [`Op::Reenter`].
    Reexit {
        /// Which lock.
        lock: LockId,
    },
    /// Begins to wait on a lock's condition and gives the lock up.
    Wait {
        /// Which lock.
        lock: LockId,
    },
    /// Has waited, and holds the lock again.
    Woken {
        /// Which lock.
        lock: LockId,
    },
    /// Gives order to whoever observes the channel later.
    Signal {
        /// The channel.
        on: ChannelId,
    },
    /// Takes order from all earlier signals on the channel.
    Observe {
        /// The channel.
        on: ChannelId,
    },
    /// Starts another thread.
    Fork {
        /// The started thread.
        child: ThreadId,
    },
    /// Has waited for another thread's end.
    Join {
        /// The ended thread.
        child: ThreadId,
    },
    /// The thread's first event, where the trace records one.
    Start,
    /// The thread's last event, where the trace records one.
    End,
    /// Enters a block whose atomicity is checked.
    Begin {
        /// The block.
        block: BlockId,
    },
    /// Leaves it.
    Finish {
        /// The block.
        block: BlockId,
    },
    /// The constructor of the object has ended: its final fields may be read by anybody.
    Freeze {
        /// The object.
        object: ObjectId,
    },
    /// The object died; its state may go.
    Free {
        /// The object.
        object: ObjectId,
    },
    /// A remark of the watched program, such as the test that is now running.
    Mark {
        /// The remark.
        text: StrId,
    },
}

/// One step of the trace: who, where, what.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// Who.
    pub thread: ThreadId,
    /// Where in the code.
    pub site: SiteId,
    /// What.
    pub op: Op,
}

const _: () = assert!(size_of::<Event>() == 16, "an event is sixteen bytes: hot loops depend on it");

impl Op {
    /// Whether the operation leaves the locks that threads hold, the order between threads and the set of live
    /// objects as they are.
    #[inline(always)]
    pub fn is_quiet(self) -> bool {
        match self {
            Op::Read { .. }
            | Op::Write { .. }
            | Op::Flow { .. }
            | Op::Begin { .. }
            | Op::Finish { .. }
            | Op::Reenter { .. }
            | Op::Reexit { .. }
            | Op::Freeze { .. }
            | Op::Mark { .. }
            | Op::Start
            | Op::End => true,
            Op::VolatileRead { .. }
            | Op::VolatileWrite { .. }
            | Op::Acquire { .. }
            | Op::Release { .. }
            | Op::Wait { .. }
            | Op::Woken { .. }
            | Op::Signal { .. }
            | Op::Observe { .. }
            | Op::Fork { .. }
            | Op::Join { .. }
            | Op::Free { .. } => false,
        }
    }

    /// The variable of a plain access, and whether it is written. Reads and writes come in no order that a processor
    /// could foretell, so this and what follows on it should do without a branch between the two.
    #[inline(always)]
    pub fn access(self) -> Option<(VarId, bool)> {
        match self {
            Op::Read { var } | Op::Write { var } => Some((var, matches!(self, Op::Write { .. }))),
            _ => None,
        }
    }

    /// The number of the operand, whatever it is; 0 where there is none. All operands lie at the same place, so this
    /// is a load and no branch.
    #[inline(always)]
    pub fn operand(self) -> u32 {
        match self {
            Op::Read { var } | Op::Write { var } => var.0,
            Op::VolatileRead { var, .. } | Op::VolatileWrite { var, .. } => var.0,
            Op::Flow { flow, .. } => flow.0,
            Op::Acquire { lock, .. } | Op::Release { lock, .. } => lock.0,
            Op::Reenter { lock } | Op::Reexit { lock } | Op::Wait { lock } | Op::Woken { lock } => lock.0,
            Op::Signal { on } | Op::Observe { on } => on.0,
            Op::Fork { child } | Op::Join { child } => child.0,
            Op::Begin { block } | Op::Finish { block } => block.0,
            Op::Freeze { object } | Op::Free { object } => object.0,
            Op::Mark { text } => text.0,
            Op::Start | Op::End => 0,
        }
    }

    /// Whether this is a plain access.
    #[inline(always)]
    pub fn is_access(self) -> bool {
        matches!(self, Op::Read { .. } | Op::Write { .. })
    }

    /// The set that holds just this operation's kind.
    #[inline]
    pub fn kind(self) -> OpSet {
        match self {
            Op::Read { .. } => OpSet::READ,
            Op::Write { .. } => OpSet::WRITE,
            Op::Flow { .. } => OpSet::FLOW,
            Op::VolatileRead { .. } | Op::VolatileWrite { .. } => OpSet::VOLATILE,
            Op::Acquire { .. } | Op::Release { .. } => OpSet::LOCK,
            Op::Reenter { .. } | Op::Reexit { .. } => OpSet::REENTER,
            Op::Wait { .. } | Op::Woken { .. } => OpSet::WAIT,
            Op::Signal { .. } | Op::Observe { .. } => OpSet::SIGNAL,
            Op::Fork { .. } | Op::Join { .. } | Op::Start | Op::End => OpSet::THREAD,
            Op::Begin { .. } | Op::Finish { .. } => OpSet::BLOCK,
            Op::Freeze { .. } => OpSet::FREEZE,
            Op::Free { .. } => OpSet::FREE,
            Op::Mark { .. } => OpSet::MARK,
        }
    }
}

/// A set of kinds of operations: what a detector asks for, and so what has to be recorded for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpSet(u16);

impl OpSet {
    /// No operation.
    pub const NONE: Self = Self(0);
    /// Plain reads.
    pub const READ: Self = Self(1);
    /// Plain writes.
    pub const WRITE: Self = Self(1 << 1);
    /// Watched value flows.
    pub const FLOW: Self = Self(1 << 2);
    /// Volatile reads and writes.
    pub const VOLATILE: Self = Self(1 << 3);
    /// Outermost acquires and releases.
    pub const LOCK: Self = Self(1 << 4);
    /// Re-entrant acquires and releases.
    pub const REENTER: Self = Self(1 << 5);
    /// Waiting on a lock.
    pub const WAIT: Self = Self(1 << 6);
    /// Signals and observations.
    pub const SIGNAL: Self = Self(1 << 7);
    /// Fork, join, start, end.
    pub const THREAD: Self = Self(1 << 8);
    /// Block borders.
    pub const BLOCK: Self = Self(1 << 9);
    /// Ends of constructors.
    pub const FREEZE: Self = Self(1 << 10);
    /// Deaths of objects.
    pub const FREE: Self = Self(1 << 11);
    /// Remarks.
    pub const MARK: Self = Self(1 << 12);
    /// Plain reads and writes.
    pub const ACCESS: Self = Self(0b11);
    /// Every operation.
    pub const ALL: Self = Self(0x1fff);

    /// Both sets together.
    #[inline(always)]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without the kinds of the other.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two sets share a kind.
    #[inline(always)]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
