//! Known regions: what a thread did before, and does again. See `record.rs` for what one is.
//!
//! Keeps the words of each region that a thread has defined. Where it happens again, they are told as if they stood there;
//! and if nobody is in the way and the thread leaves all the monitors right behind it, as stretches that are
//! [known to repeat](crate::Repeat), made once for all.

use super::Kind;
use super::merge::{Reader, Stop};
use super::record::{
    DEFINES, PLAIN, RANGE, REGION_WORDS, STAMPED, form_of, operand_of, site_of, stamp, stamp_of,
    words as words_of,
};
use super::rules::Rules;
use super::stream::Stream;
use super::tell::Full as _;
use crate::{LockId, Op, Stretches, ThreadId, TraceError};

/// A region that a thread has defined.
#[derive(Default)]
pub(super) struct Region {
    /// Without stamps.
    words: Box<[u64]>,
    /// How many it takes.
    stamps: u64,
    told: Told,
}

/// What a region is to detectors, with the exits behind it.
#[derive(Default)]
enum Told {
    /// Has not been told since it was defined.
    #[default]
    Never,
    /// Cannot be told as a whole.
    InParts,
    Whole(Box<Whole>),
}

struct Whole {
    exits: Box<[[u8; 8]]>,
    locks: Box<[LockId]>,
    stretches: Stretches,
    number: u32,
    version: u32,
}

/// Regions that are kept as a whole: each takes about a thousand bytes.
const MOST_WHOLE: usize = 1 << 16;

/// The numbers by which detectors know regions: as few as there are at a time.
#[derive(Default)]
pub(super) struct Numbers {
    spare: Vec<u32>,
    used: u32,
    versions: u32,
}

impl Numbers {
    fn are_enough(&self) -> bool {
        self.used as usize - self.spare.len() >= MOST_WHOLE
    }

    fn give(&mut self) -> (u32, u32) {
        self.versions = self.versions.wrapping_add(1);
        let number = self.spare.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        (number, self.versions)
    }

    fn take_back(&mut self, region: &Region) {
        if let Told::Whole(whole) = &region.told {
            self.spare.push(whole.number);
        }
    }

    /// A thread's records have ended.
    pub(super) fn give_back(&mut self, stream: &Stream) {
        stream.regions.iter().for_each(|region| self.take_back(region));
    }
}

impl Region {
    /// None for words that are no whole records, or records of another form.
    fn of(words: &[[u8; 8]]) -> Option<Self> {
        let words = words.iter().copied().map(u64::from_le_bytes).collect();
        let mut region = Region { words, stamps: 0, told: Told::Never };
        let mut rest = &mut region.words[..];
        while let Some(&first) = rest.first() {
            let form = form_of(first);
            let (record, more) = rest.split_at_mut_checked(words_of(form)?)?;
            match (form, record) {
                (STAMPED, [_, second]) => {
                    *second &= !stamp_of(u64::MAX);
                    region.stamps += 1;
                }
                (PLAIN | RANGE, _) => {}
                _ => return None,
            }
            rest = more;
        }
        Some(region)
    }

    /// The words, with stamps from this one on.
    fn with_stamps(&self, first: u64) -> impl Iterator<Item = u64> {
        // The form of a record whose second word comes next.
        let (mut next, mut begun) = (first, None);
        self.words.iter().map(move |&word| match begun.take() {
            Some(STAMPED) => {
                next += 1;
                word | stamp(next - 1, 0)
            }
            Some(_) => word,
            None => {
                begun = Some(form_of(word)).filter(|&form| form != PLAIN);
                word
            }
        })
    }
}

impl Reader {
    /// Reads a record of a known region, or one that defines it. Why the reading stops, if it does.
    pub(super) fn region(
        &mut self,
        stream: &mut Stream,
        at: usize,
        catches_up: bool,
        out: &mut Stretches,
    ) -> Result<Option<Stop>, TraceError> {
        let (words, _) = stream.words().as_chunks::<8>();
        let Some(first) = words.first().copied().map(u64::from_le_bytes) else {
            return Ok(Some(Stop::Hungry));
        };
        let (number, length) = (site_of(first) as usize, operand_of(first));
        if form_of(first) == DEFINES {
            if length > REGION_WORDS {
                return Err(self.pages.wrong(stream.place(), format!("a region of {length} words")));
            }
            let Some(words) = words.get(1..=length as usize) else { return Ok(Some(Stop::Hungry)) };
            let Some(region) = Region::of(words) else {
                return Err(self.pages.wrong(stream.place(), "a region whose records make no sense"));
            };
            // Numbers are given out one by one, more than once.
            match (number.checked_sub(1), stream.regions.len()) {
                (Some(at), known) if at < known => {
                    let old = std::mem::replace(&mut stream.regions[at], region);
                    self.regions.take_back(&old);
                }
                (Some(at), known) if at == known => stream.regions.push(region),
                _ => {
                    return Err(self.pages.wrong(stream.place(), format!("there is no region {number} yet")));
                }
            }
            stream.consume(8);
            return Ok(None);
        }
        let first_stamp = words.get(1).map_or(0, |word| stamp_of(u64::from_le_bytes(*word)));
        if first_stamp == 0 {
            return Ok(Some(Stop::Hungry));
        }
        if first_stamp > self.next || first_stamp >= self.cut {
            stream.passed = first_stamp;
            return Ok(Some(Stop::Early(first_stamp)));
        }
        if out.is_full() && !catches_up {
            return Ok(Some(Stop::Full));
        }
        let Some(region) = number.checked_sub(1).and_then(|at| stream.regions.get(at)) else {
            return Err(self.pages.wrong(stream.place(), format!("region {number} is not known")));
        };
        let exits = words.get(2..).and_then(|behind| behind.get(..region.stamps as usize));
        let thread = self.threads[at];
        if let Told::Whole(whole) = &region.told
            && first_stamp == self.next
            && !catches_up
            && self.rules.is_running(thread)
            && exits == Some(&whole.exits)
            && whole.locks.iter().all(|&lock| self.rules.is_unused(lock))
        {
            out.repeat(&whole.stretches, whole.number, whole.version);
            self.next += region.stamps;
            stream.passed = self.next - 1;
            stream.consume(16 + 8 * whole.exits.len());
            return Ok(None);
        }
        if let Some(exits) = exits
            && matches!(region.told, Told::Never)
        {
            let exits = exits.into();
            let region = std::mem::take(&mut stream.regions[number - 1]);
            let told = self.tell_whole(&region, exits, at)?;
            stream.regions[number - 1] = Region { told, ..region };
        }
        stream.consume(16);
        let words: Vec<u64> = match stream.regions.get(number - 1) {
            Some(region) => region.with_stamps(first_stamp).collect(),
            None => Vec::new(),
        };
        stream.insert(words.into_iter());
        Ok(None)
    }

    /// What a region with its exits is to detectors, if it is told alone.
    fn tell_whole(&mut self, region: &Region, exits: Box<[[u8; 8]]>, at: usize) -> Result<Told, TraceError> {
        let is_exit = |word: [u8; 8]| {
            let word = u64::from_le_bytes(word);
            let kind = self.tables.site(site_of(word)).and_then(|site| site.kind);
            form_of(word) == PLAIN && matches!(kind, Some(Kind::Exit | Kind::ExitBlock))
        };
        if region.stamps == 0 || self.regions.are_enough() || !exits.iter().all(|&exit| is_exit(exit)) {
            // There may be room the next time, or the exits may come later.
            return Ok(Told::Never);
        }
        let thread = self.threads[at];
        let rules = std::mem::replace(&mut self.rules, Rules::of_one(thread));
        let (next, late) = (self.next, self.late);
        let mut stretches = Stretches::default();
        let mut alone =
            Stream::of(region.with_stamps(next).chain(exits.iter().copied().map(u64::from_le_bytes)));
        let told = self.records(&mut alone, at, None, &mut stretches);
        stretches.close();
        (self.next, self.late) = (next, late);
        let fits = std::mem::replace(&mut self.rules, rules).is_as_new(thread);
        if told? != Stop::Hungry || !alone.words().is_empty() || !fits || !is_of(thread, &stretches) {
            return Ok(Told::InParts);
        }
        let locks = stretches.heads().iter().filter_map(|head| match head.op() {
            Some(Op::Acquire { lock, .. }) => Some(lock),
            _ => None,
        });
        let (number, version) = self.regions.give();
        let locks = locks.collect();
        Ok(Told::Whole(Box::new(Whole { exits, locks, stretches, number, version })))
    }
}

/// Whether all is one thread's, and nothing but accesses, blocks and locks.
fn is_of(thread: ThreadId, stretches: &Stretches) -> bool {
    stretches.heads().iter().all(|head| {
        let fits = matches!(
            head.op(),
            None | Some(
                Op::Acquire { .. }
                    | Op::Release { .. }
                    | Op::Reenter { .. }
                    | Op::Reexit { .. }
                    | Op::Begin { .. }
                    | Op::Finish { .. }
            )
        );
        fits && head.thread() == thread
    })
}
