//! What threads knew that have ended, for whoever joins them: perhaps nobody, perhaps several, at any time.
//!
//! Of ten thousand threads each may know something of all others, which no live thread has to be asked about any more. Threads
//! that end one after the other mostly know the same but for a few. So one of them is kept whole now and then, and of
//! the others what is different from it.

use std::rc::Rc;

use events::ThreadId;
use rustc_hash::FxHashMap;

/// What a thread knows is left with it unless there are more entries than so many.
pub const SHORT: usize = 64;

/// How much room a different entry takes, compared with one of a whole list.
const TWICE: usize = 2;

/// One thread's: an earlier one's, and the entries that are different from that.
struct Kept {
    whole: Rc<Vec<u32>>,
    different: Box<[(u32, u32)]>,
}

/// What all ended threads knew, as far as it is much.
#[derive(Default)]
pub struct Ended {
    last_whole: Rc<Vec<u32>>,
    /// Entries that were different from it so far: when they take as much room as it does, the next one is kept whole.
    so_far: usize,
    /// Kept for its room.
    different: Vec<(u32, u32)>,
    threads: FxHashMap<ThreadId, Kept>,
}

impl Ended {
    /// A thread has ended. What it knew is taken away if it is much.
    pub fn put(&mut self, thread: ThreadId, known: &mut Rc<Vec<u32>>) {
        if known.len() <= SHORT {
            return;
        }
        let known = std::mem::take(known);
        let at = |list: &[u32], i: usize| list.get(i).copied().unwrap_or(0);
        let most = (known.len() / TWICE).saturating_sub(self.so_far);
        let all = (0..known.len().max(self.last_whole.len())).map(|i| (i, at(&known, i)));
        let different = all.filter(|&(i, time)| time != at(&self.last_whole, i));
        self.different.clear();
        self.different.extend(different.map(|(i, time)| (i as u32, time)).take(most + 1));
        let kept = if self.different.len() <= most {
            self.so_far += self.different.len();
            Kept { whole: self.last_whole.clone(), different: self.different.as_slice().into() }
        } else {
            (self.last_whole, self.so_far) = (known.clone(), 0);
            Kept { whole: known, different: Box::default() }
        };
        self.threads.insert(thread, kept);
    }

    /// What an ended thread knew, if that was taken away.
    pub fn known(&self, thread: ThreadId) -> Option<Rc<Vec<u32>>> {
        let Kept { whole, different } = self.threads.get(&thread)?;
        let mut known = whole.clone();
        for &(i, time) in different {
            let known = Rc::make_mut(&mut known);
            if known.len() <= i as usize {
                known.resize(i as usize + 1, 0);
            }
            known[i as usize] = time;
        }
        Some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_threads_knew_can_be_asked_for_again() {
        let (mut ended, mut all) = (Ended::default(), Vec::new());
        let mut known: Vec<u32> = (0..1000).map(|i| i % 5).collect();
        for thread in 0..300u32 {
            // A few entries change, some up to where there was none; now and then nearly all do.
            known[thread as usize * 3] += 7;
            known.resize(1000 - thread as usize % 7 + 2 * (thread as usize / 9), thread);
            if thread % 50 == 49 {
                known.iter_mut().for_each(|time| *time += 1);
            }
            all.push(known.clone());
            let mut given = Rc::new(known.clone());
            ended.put(ThreadId(thread), &mut given);
            assert!(given.is_empty(), "it is taken away");
        }
        for (thread, known) in (0..).zip(&all) {
            let mut again = ended.known(ThreadId(thread)).map(|again| again.to_vec()).unwrap_or_default();
            assert!(again.len() >= known.len() && again.drain(known.len()..).all(|time| time == 0));
            assert_eq!(&again, known, "thread {thread}");
        }
        let different: usize = ended.threads.values().map(|kept| kept.different.len()).sum();
        let whole = ended.threads.values().filter(|kept| kept.different.is_empty()).count();
        assert!(whole < 60 && different < 30_000, "{whole} are whole, {different} entries are different");
    }

    #[test]
    fn what_is_little_stays_with_its_thread() {
        let mut known = Rc::new(vec![3; SHORT]);
        Ended::default().put(ThreadId(0), &mut known);
        assert_eq!(known.len(), SHORT);
    }
}
