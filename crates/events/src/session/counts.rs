//! What a JVM counts, beside the two counts of classes in `names.rs`. The agent writes these names into the log, the command
//! looks for them; what it does not know it shows as it is.

/// Before the reason for which classes were left out.
pub const LEFT_OUT: &str = "left out ";
/// Before a pattern of the user that names classes to watch: how many it stood for.
pub const NAMED: &str = "named by ";

/// Why a class of the program is not watched, or not wholly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Left {
    /// The user's choice of classes is without it; what it does to order threads is watched.
    Unchosen,
    /// A model table calls it unwatched; likewise.
    Unwatched,
    /// The user wants it left entirely alone.
    Alone,
    /// There is nothing in it to watch.
    Empty,
    /// It could not be woven, which is a gap too.
    Failed,
}

impl Left {
    /// All of them.
    pub const ALL: [Left; 5] = [Left::Unchosen, Left::Unwatched, Left::Alone, Left::Empty, Left::Failed];

    /// The reason, for people, after a number of classes.
    pub const fn reason(self) -> &'static str {
        match self {
            Left::Unchosen => "by --include or --exclude",
            Left::Unwatched => "as a framework's own",
            Left::Alone => "by --leave",
            Left::Empty => "with nothing in them to watch",
            Left::Failed => "because they could not be woven",
        }
    }
}
