//! What a site in woven code does. The weaver gives every site one kind, the agent writes it into the names log, the
//! reader turns the site's records into operations. The numbers are part of the file format and never change.
//!
//! This file says what a record's operand is for each kind; how records lie in memory is in `record.rs`.

/// What the operand of a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Nothing.
    None,
    /// An object number, 0 for none.
    Object,
    /// A thread number.
    Thread,
    /// A class number.
    Class,
    /// A string number.
    Text,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $stamped:literal, $operand:ident;)+) => {
        /// What a site does.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)+
        }

        impl Kind {
            /// Every kind, in the order of the numbers.
            pub const ALL: &[Kind] = &[$(Kind::$name),+];

            /// The kind of a number.
            pub fn of(number: u8) -> Option<Kind> {
                match number {
                    $($number => Some(Kind::$name),)+
                    _ => None,
                }
            }

            /// Whether its records carry a stamp (forms 3 and 4); the others are plain (forms 1 and 2).
            pub const fn is_stamped(self) -> bool {
                match self {
                    $(Kind::$name => $stamped,)+
                }
            }

            /// What the operand of its records is.
            pub const fn operand(self) -> Operand {
                match self {
                    $(Kind::$name => Operand::$operand,)+
                }
            }
        }
    };
}

kinds! {
    /// Reads a field; the site's operand is the field. Object 0: a static field.
    Read = 1, false, Object;
    /// Writes a field, likewise.
    Write = 2, false, Object;
    /// Reads array elements: a range (form 2). The site's text is the array's type as far as the instruction tells it.
    ArrayRead = 3, false, Object;
    /// Writes array elements, likewise.
    ArrayWrite = 4, false, Object;
    /// Has read a volatile field: the site's operand, or that of the record's extra word, or an element.
    VolatileRead = 5, true, Object;
    /// Is about to write a volatile field, likewise.
    VolatileWrite = 6, true, Object;
    /// The first half of an atomic update; variables as for [`Kind::VolatileRead`].
    UpdateRead = 7, true, Object;
    /// The second half of an atomic update.
    UpdateWrite = 8, true, Object;
    /// Has entered a monitor, perhaps again.
    Enter = 9, true, Object;
    /// Is about to leave a monitor. May do without a stamp: whoever enters it next has one.
    Exit = 10, true, Object;
    /// As [`Kind::Enter`], and a block begins: the site's method.
    EnterBlock = 11, true, Object;
    /// As [`Kind::Exit`], and the block ends.
    ExitBlock = 12, true, Object;
    /// Has taken a lock that is no monitor, perhaps again.
    Acquire = 13, true, Object;
    /// Is about to give it up.
    Release = 14, true, Object;
    /// Has taken a lock in read mode, perhaps again.
    AcquireRead = 15, true, Object;
    /// Is about to give up a lock held in read mode.
    ReleaseRead = 16, true, Object;
    /// Is about to wait on a monitor, which it gives up however often it has entered it.
    Wait = 17, true, Object;
    /// Has waited on a monitor, which it holds again as often as before.
    Woken = 18, true, Object;
    /// Gives order. The site's text tells several channels of one object apart.
    Signal = 19, true, Object;
    /// Takes order, likewise.
    Observe = 20, true, Object;
    /// Is about to start a thread.
    Fork = 21, true, Thread;
    /// Has seen a thread's end.
    Join = 22, true, Thread;
    /// A thread's first record.
    Start = 23, true, None;
    /// A thread's last record.
    End = 24, true, None;
    /// A block begins: the site's method.
    Begin = 25, false, None;
    /// A block ends.
    Finish = 26, false, None;
    /// A constructor that wrote final fields has ended.
    Freeze = 27, false, Object;
    /// A class has been initialised; gives order to [`Kind::Uses`].
    Initialised = 28, true, Class;
    /// The thread's first use of an initialised class.
    Uses = 29, true, Class;
    /// Reads an object as one variable (a collection). Form 2 with the class number of the object in word 1, or form 1.
    ObjectRead = 30, false, Object;
    /// Writes an object as one variable, likewise.
    ObjectWrite = 31, false, Object;
    /// Reads array elements in a library call: as [`Kind::ArrayRead`].
    RangeRead = 32, false, Object;
    /// Writes array elements in a library call.
    RangeWrite = 33, false, Object;
    /// A test begins; a remark.
    Mark = 34, false, Text;
    /// Changes the mode in which a lock is held (form 4, the extra word holds both modes), in one step.
    Convert = 35, true, Object;
    /// An object has died: nobody can reach it, so no record of it is written after this one's stamp was taken.
    Free = 36, true, Object;
    /// No event: tells the class of an object (form 2 with the class number in word 1), for objects whose class no
    /// other record tells.
    Known = 37, false, Object;
    /// Has begun to wait on a lock that is no monitor (a condition's), as [`Kind::Wait`].
    Await = 38, true, Object;
    /// Has waited on a lock that is no monitor, as [`Kind::Woken`].
    Awaited = 39, true, Object;
    /// As [`Kind::Acquire`], but would have gone on without the lock.
    TryAcquire = 40, true, Object;
    /// As [`Kind::AcquireRead`], likewise.
    TryAcquireRead = 41, true, Object;
    /// What the thread has read last is the value of a watched flow. The site's text is the flow's kind. May do without a
    /// stamp where the value is read: under a lock, which puts it in its place.
    FlowRead = 42, true, None;
    /// That value is about to be used. The site's operand is the number of the flow's site of kind [`Kind::FlowRead`],
    /// whose entry comes before. May do without a stamp.
    FlowUse = 43, true, None;
}

impl Kind {
    /// The number in the names log.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_kinds_belong_together() {
        for number in 0..=u8::MAX {
            if let Some(kind) = Kind::of(number) {
                assert_eq!(kind.number(), number);
            }
        }
        assert!(Kind::ALL.iter().all(|&kind| Kind::of(kind.number()) == Some(kind)));
        assert_eq!(Kind::of(0), None, "a site that says nothing has no kind");
    }
}
