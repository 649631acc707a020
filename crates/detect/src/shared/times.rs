//! A time for each thread, in pieces that lists share until they change.
//!
//! Of ten thousand threads each has a list of its own sooner or later, and most of what stands there is the same, or nothing.

use std::rc::Rc;

/// Times of a piece.
const PIECE: usize = 32;

type Piece = Rc<[u32; PIECE]>;

/// A time for each thread, 0 at first.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// None where all are 0.
    pieces: Vec<Option<Piece>>,
}

impl Times {
    /// The time of a thread.
    #[inline]
    pub fn get(&self, thread: usize) -> u32 {
        match self.pieces.get(thread / PIECE) {
            Some(Some(piece)) => piece[thread % PIECE],
            _ => 0,
        }
    }

    /// Sets the time of a thread.
    pub fn set(&mut self, thread: usize, time: u32) {
        if self.pieces.len() <= thread / PIECE {
            self.pieces.resize(thread / PIECE + 1, None);
        }
        let piece = self.pieces[thread / PIECE].get_or_insert_with(|| Rc::new([0; PIECE]));
        Rc::make_mut(piece)[thread % PIECE] = time;
    }

    /// Whether some time here is less than there, and whether some is more.
    pub fn compare(&self, other: &Times) -> (bool, bool) {
        let (mut less, mut more) = (false, false);
        for i in 0..self.pieces.len().max(other.pieces.len()) {
            match (self.piece(i), other.piece(i)) {
                (Some(mine), Some(theirs)) => {
                    if !Rc::ptr_eq(mine, theirs) {
                        // To the end: which one is the first cannot be foretold.
                        for (mine, theirs) in mine.iter().zip(theirs.iter()) {
                            less |= mine < theirs;
                            more |= mine > theirs;
                        }
                    }
                }
                (Some(mine), None) => more |= **mine != [0; PIECE],
                (None, Some(theirs)) => less |= **theirs != [0; PIECE],
                (None, None) => {}
            }
        }
        (less, more)
    }

    /// Raises each time to what it is elsewhere.
    pub fn raise_all(&mut self, other: &Times) {
        if self.pieces.len() < other.pieces.len() {
            self.pieces.resize(other.pieces.len(), None);
        }
        for (mine, theirs) in self.pieces.iter_mut().zip(&other.pieces) {
            match (&mut *mine, theirs) {
                (_, None) => {}
                (None, Some(_)) => mine.clone_from(theirs),
                (Some(piece), Some(theirs)) => {
                    if !Rc::ptr_eq(piece, theirs) {
                        let piece = Rc::make_mut(piece);
                        piece
                            .iter_mut()
                            .zip(theirs.iter())
                            .for_each(|(mine, &time)| *mine = (*mine).max(time));
                    }
                }
            }
        }
    }

    fn piece(&self, i: usize) -> Option<&Piece> {
        self.pieces.get(i).and_then(Option::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first times as a plain list.
    fn plain(times: &Times) -> Vec<u32> {
        (0..THREADS).map(|thread| times.get(thread)).collect()
    }

    const THREADS: usize = 5 * PIECE;

    #[test]
    fn lists_in_pieces_are_as_plain_ones() {
        let mut seed = 1u64;
        let mut roll = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let mut lists: Vec<(Times, Vec<u32>)> = vec![(Times::default(), vec![0; THREADS]); 6];
        let (mut both, mut neither) = (0, 0);
        for _ in 0..4000 {
            let (i, j) = (roll(6), roll(6));
            match roll(4) {
                0 => {
                    let (thread, time) = (roll(THREADS), roll(4) as u32);
                    lists[i].0.set(thread, time);
                    lists[i].1[thread] = time;
                }
                1 => lists[i] = lists[j].clone(),
                2 => {
                    let (other, expected) = lists[j].clone();
                    lists[i].0.raise_all(&other);
                    lists[i].1.iter_mut().zip(expected).for_each(|(mine, time)| *mine = (*mine).max(time));
                }
                _ => {
                    let pairs = || lists[i].1.iter().zip(&lists[j].1);
                    let expected = (pairs().any(|(a, b)| a < b), pairs().any(|(a, b)| a > b));
                    assert_eq!(lists[i].0.compare(&lists[j].0), expected);
                    both += usize::from(expected == (true, true));
                    neither += usize::from(expected == (false, false));
                }
            }
            assert_eq!(plain(&lists[i].0), lists[i].1);
        }
        assert!(both > 50 && neither > 50, "{both} {neither}");
    }
}
