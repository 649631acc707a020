//! Events as analyses like them: cut into stretches.
//!
//! A stretch is one thread, perhaps an operation, and then nothing but plain accesses, so neither locks nor order change
//! within it. All accesses of a batch lie one after the other, eight bytes each. [`Stretches`] holds exactly what a slice
//! of [`Event`]s would, in the same order; a source that can make them directly saves cutting.

use crate::{Event, Op, SiteId, ThreadId, VarId};

/// A plain access of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// What is read or written.
    pub var: VarId,
    /// Twice the site, and one more for a write.
    place: u32,
}

impl Access {
    /// An access. There are never so many sites that twice their number is too large.
    #[inline(always)]
    pub fn new(var: VarId, site: SiteId, write: bool) -> Self {
        Self { var, place: site.0 << 1 | u32::from(write) }
    }

    /// An access at a [place](Self::place).
    #[inline(always)]
    pub(crate) fn at(var: VarId, place: u32) -> Self {
        Self { var, place }
    }

    /// Where in the code.
    #[inline(always)]
    pub fn site(self) -> SiteId {
        SiteId(self.place >> 1)
    }

    /// Whether it writes. Reads and writes come in no order that a processor could foretell, so what follows on this
    /// should do without a branch.
    #[inline(always)]
    pub fn writes(self) -> bool {
        self.place & 1 != 0
    }

    /// Site and kind in one number: equal for accesses that do the same at the same place.
    #[inline(always)]
    pub fn place(self) -> u32 {
        self.place
    }

    /// The event of a thread that does this.
    pub fn event(self, thread: ThreadId) -> Event {
        let var = self.var;
        let op = if self.writes() { Op::Write { var } } else { Op::Read { var } };
        Event { thread, site: self.site(), op }
    }
}

/// What comes before the accesses of a stretch, and where these end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// A whole event, so that nobody has to put one together; without meaning but for its thread if it is an access.
    event: Event,
    /// How many accesses of the batch there are up to the end of this stretch.
    end: u32,
}

/// Stands for no operation.
const NOTHING: Op = Op::Read { var: VarId(0) };

impl Head {
    /// The beginning of a stretch that ends after so many accesses of the batch.
    #[inline(always)]
    fn new(thread: ThreadId, site: SiteId, op: Option<Op>, end: usize) -> Self {
        Self { event: Event { thread, site, op: op.unwrap_or(NOTHING) }, end: end as u32 }
    }

    /// Who.
    #[inline(always)]
    pub fn thread(&self) -> ThreadId {
        self.event.thread
    }

    /// The operation, never a plain access; none if the stretch is nothing but accesses.
    #[inline(always)]
    pub fn op(&self) -> Option<Op> {
        self.event().map(|event| event.op)
    }

    /// The operation as an event.
    #[inline(always)]
    pub fn event(&self) -> Option<&Event> {
        (!self.event.op.is_access()).then_some(&self.event)
    }

    /// The operation, or some access of the same thread if there is none.
    #[inline(always)]
    pub fn operation_or_access(&self) -> &Event {
        &self.event
    }

    /// How many accesses of the batch there are up to the end of this stretch.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.end as usize
    }
}

/// Stretches of one thread that it has done before, just so: from taking its first lock, or some accesses before that, until
/// it has given all up. Nobody held any of these locks, and what happens in between was told one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// The first of them in the batch.
    pub first: usize,
    /// The first one after them.
    pub end: usize,
    /// Which: the same number means the same stretches, as long as the version is the same. Numbers are used again.
    pub number: u32,
    /// The version of the number.
    pub version: u32,
}

/// A batch of events, cut into stretches.
#[derive(Clone, Debug, Default)]
pub struct Stretches {
    /// Perhaps longer than what counts, like `accesses`: [`room`](Self::room) would have to fill anew what was cut off.
    heads: Vec<Head>,
    accesses: Vec<Access>,
    repeats: Vec<Repeat>,
    /// How many stretches, accesses and events count.
    stretches: usize,
    filled: usize,
    events: usize,
}

const NO_HEAD: Head = Head { event: Event { thread: ThreadId(0), site: SiteId(0), op: NOTHING }, end: 0 };
const NO_ACCESS: Access = Access { var: VarId(0), place: 0 };

/// The place in [`Stretches`] for the next stretches; what is written there counts once they are [taken](Self::take).
/// Both lists are longer than what is needed, so that a reader may write some for nothing.
pub(crate) struct Room<'a> {
    heads: &'a mut [Head],
    accesses: &'a mut [Access],
    pub(crate) stretches: usize,
    pub(crate) filled: usize,
}

impl Room<'_> {
    /// Where the next `N` accesses go.
    #[inline(always)]
    pub(crate) fn next<const N: usize>(&mut self) -> Option<&mut [Access; N]> {
        self.accesses.get_mut(self.filled..).and_then(<[Access]>::first_chunk_mut)
    }

    /// The largest variable of all accesses taken.
    pub(crate) fn largest_variable(&self) -> Option<VarId> {
        self.accesses.iter().take(self.filled).map(|access| access.var).max()
    }

    /// Takes `count` of the accesses written last as those of the next stretch, which begins with an operation, or with
    /// none if this is an access. False if there is no room.
    #[inline(always)]
    pub(crate) fn take(&mut self, event: Event, count: usize) -> bool {
        self.filled += count;
        let Some(head) = self.heads.get_mut(self.stretches) else { return false };
        *head = Head { event, end: self.filled as u32 };
        self.stretches += 1;
        true
    }
}

impl Stretches {
    /// The beginnings of all stretches.
    #[inline(always)]
    pub fn heads(&self) -> &[Head] {
        self.heads.get(..self.stretches).unwrap_or_default()
    }

    /// The accesses of all stretches.
    #[inline(always)]
    pub fn all_accesses(&self) -> &[Access] {
        self.accesses.get(..self.filled).unwrap_or_default()
    }

    /// Those among them that are known to have happened before, as far as the source knows, in their order.
    #[inline(always)]
    pub fn repeats(&self) -> &[Repeat] {
        &self.repeats
    }

    /// Every stretch: its beginning and its accesses.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (&Head, &[Access])> {
        let (mut rest, accesses) = (0, self.all_accesses());
        self.heads().iter().map(move |head| {
            let start = std::mem::replace(&mut rest, head.end as usize);
            (head, accesses.get(start..head.end as usize).unwrap_or_default())
        })
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.stretches == 0
    }

    /// Holds nothing from now on.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.accesses.clear();
        self.repeats.clear();
        (self.stretches, self.filled, self.events) = (0, 0, 0);
    }

    /// Appends other stretches, which are known to have happened before.
    pub fn repeat(&mut self, stretches: &Stretches, number: u32, version: u32) {
        self.close();
        let (first, before) = (self.heads.len(), self.accesses.len() as u32);
        self.heads.extend(stretches.heads().iter().map(|head| Head { end: head.end + before, ..*head }));
        self.accesses.extend_from_slice(stretches.all_accesses());
        (self.stretches, self.filled) = (self.heads.len(), self.accesses.len());
        self.events += stretches.events;
        self.repeats.push(Repeat { first, end: self.heads.len(), number, version });
    }

    /// Cuts events.
    pub fn cut(&mut self, events: &[Event]) {
        let room = self.room(events.len());
        // Written always and counted only if it is to be kept: branches here would be foretold wrong too often.
        let (heads, accesses) = (room.heads, room.accesses);
        let (mut stretches, mut filled) = (0, 0);
        let mut last = ThreadId(u32::MAX);
        for event in events {
            let is_access = event.op.is_access();
            let begins = !is_access | (last != event.thread);
            last = event.thread;
            stretches += usize::from(begins);
            accesses[filled] =
                Access::new(VarId(event.op.operand()), event.site, matches!(event.op, Op::Write { .. }));
            filled += usize::from(is_access);
            // The first event begins a stretch.
            let head = &mut heads[stretches - 1];
            if begins {
                head.event = *event;
            }
            head.end = filled as u32;
        }
        self.keep(stretches, filled, events.len());
    }

    /// Appends the same events, not cut.
    pub fn uncut(&self, events: &mut Vec<Event>) {
        for (head, accesses) in self.iter() {
            events.extend(head.event());
            events.extend(accesses.iter().map(|access| access.event(head.thread())));
        }
    }

    /// Begins the next stretch, for readers that do not know beforehand how many there will be.
    #[inline(always)]
    pub(crate) fn begin(&mut self, thread: ThreadId, site: SiteId, op: Option<Op>) {
        self.close();
        self.heads.push(Head::new(thread, site, op, self.accesses.len()));
        self.stretches = self.heads.len();
        self.events += usize::from(op.is_some());
    }

    /// Adds an access to the stretch that was begun last; counts once the stretch is [closed](Self::close).
    #[inline(always)]
    pub(crate) fn access(&mut self, access: Access) {
        self.accesses.push(access);
        self.filled = self.accesses.len();
        self.events += 1;
    }

    /// Ends the stretch that was begun last, and makes sure that it goes on with nobody else's accesses.
    #[inline(always)]
    pub(crate) fn close(&mut self) {
        self.heads.truncate(self.stretches);
        self.accesses.truncate(self.filled);
        if let Some(last) = self.heads.last_mut() {
            last.end = self.accesses.len() as u32;
        }
    }

    /// Whose stretch was begun last.
    #[inline(always)]
    pub(crate) fn last_thread(&self) -> Option<ThreadId> {
        self.heads().last().map(Head::thread)
    }

    /// Makes room for so many events, whose contents mean nothing yet.
    pub(crate) fn room(&mut self, events: usize) -> Room<'_> {
        // What was there before is overwritten and not cleared first: that would be a second store for each event.
        if self.heads.len() <= events {
            self.heads.resize(events + 1, NO_HEAD);
        }
        if self.accesses.len() <= events {
            self.accesses.resize(events + 1, NO_ACCESS);
        }
        self.repeats.clear();
        (self.stretches, self.filled, self.events) = (0, 0, 0);
        Room { heads: &mut self.heads, accesses: &mut self.accesses, stretches: 0, filled: 0 }
    }

    /// Keeps what was taken.
    pub(crate) fn keep(&mut self, stretches: usize, accesses: usize, events: usize) {
        (self.stretches, self.filled, self.events) = (stretches, accesses, events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_loses_nothing() {
        let text = "a read x\na write y\nb read x\nb acquire m\nb write x\nb release m\na read y\n";
        let trace = crate::text::parse("test", text).unwrap_or_else(|e| panic!("{e}"));
        let mut stretches = Stretches::default();
        for events in [&trace.events[..], &trace.events[2..5], &[]] {
            stretches.cut(events);
            let mut again = Vec::new();
            stretches.uncut(&mut again);
            assert_eq!(again, events);
            assert_eq!(stretches.len(), events.len());
        }
        stretches.cut(&trace.events);
        let shape: Vec<_> = stretches.iter().map(|(head, of)| (head.op().is_some(), of.len())).collect();
        assert_eq!(shape, [(false, 2), (false, 1), (true, 1), (true, 0), (false, 1)]);
    }
}
