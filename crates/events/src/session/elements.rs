//! Single array elements of a session to variables.
//!
//! A program that goes through an array in any way but element after element accesses its elements one by one, and mostly
//! those that lie together soon after each other. So they are kept in pages: one look in a hash table finds sixteen.

use rustc_hash::FxHashMap;

use crate::VarId;

/// Elements of a page.
const PAGE: u32 = 16;
/// No variable.
const NONE: u32 = u32::MAX;
/// Entries of the small table in front of the map; a power of two.
const FRONT: usize = 1024;

/// Which page: the array's number, and the number of the page in it.
type Key = (u64, u32);

/// No array has this number.
const NO_KEY: Key = (0, 0);

/// The variables of single elements.
pub(super) struct Elements {
    pages: Vec<[u32; PAGE as usize]>,
    spare: Vec<u32>,
    index: FxHashMap<Key, u32>,
    front: Box<[(Key, u32); FRONT]>,
}

impl Default for Elements {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            spare: Vec::new(),
            index: FxHashMap::default(),
            front: Box::new([(NO_KEY, 0); FRONT]),
        }
    }
}

impl Elements {
    /// The variable of an element, if it has been met.
    #[inline(always)]
    pub(super) fn get(&mut self, array: u64, element: u32) -> Option<VarId> {
        let key = (array, element / PAGE);
        let (known, page) = self.front[front_of(key)];
        let page = if known == key { page } else { self.look_up(key)? };
        let var = *self.pages.get(page as usize)?.get((element % PAGE) as usize)?;
        (var != NONE).then_some(VarId(var))
    }

    #[inline(never)]
    fn look_up(&mut self, key: Key) -> Option<u32> {
        let page = *self.index.get(&key)?;
        self.front[front_of(key)] = (key, page);
        Some(page)
    }

    /// The element has this variable.
    pub(super) fn put(&mut self, array: u64, element: u32, var: VarId) {
        let page = *self.index.entry((array, element / PAGE)).or_insert_with(|| {
            self.spare.pop().unwrap_or_else(|| {
                self.pages.push([NONE; PAGE as usize]);
                self.pages.len() as u32 - 1
            })
        });
        if let Some(place) =
            self.pages.get_mut(page as usize).and_then(|page| page.get_mut((element % PAGE) as usize))
        {
            *place = var.0;
        }
    }

    /// The array is gone, or its variable is.
    pub(super) fn forget(&mut self, array: u64, element: u32) {
        let key = (array, element / PAGE);
        let Some(&at) = self.index.get(&key) else { return };
        let Some(page) = self.pages.get_mut(at as usize) else { return };
        if let Some(place) = page.get_mut((element % PAGE) as usize) {
            *place = NONE;
        }
        if page.iter().all(|&var| var == NONE) {
            self.index.remove(&key);
            self.spare.push(at);
            let front = &mut self.front[front_of(key)];
            if front.0 == key {
                *front = (NO_KEY, 0);
            }
        }
    }
}

fn front_of((array, page): Key) -> usize {
    let mixed = (array.rotate_left(32) ^ u64::from(page)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize % FRONT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_until_they_are_forgotten_and_their_pages_are_used_again() {
        let mut elements = Elements::default();
        let all = || (1..200u64).flat_map(|array| (0..90u32).step_by(3).map(move |element| (array, element)));
        for round in 0..3u32 {
            let var = |array: u64, element: u32| VarId(round * 1_000_000 + array as u32 * 100 + element);
            for (array, element) in all() {
                assert_eq!(elements.get(array, element), None);
                elements.put(array, element, var(array, element));
            }
            for (array, element) in all() {
                assert_eq!(elements.get(array, element), Some(var(array, element)));
                assert_eq!(elements.get(array, element + 1), None, "a neighbour");
            }
            all().for_each(|(array, element)| elements.forget(array, element));
            assert!(elements.index.is_empty());
            assert_eq!(elements.spare.len(), elements.pages.len());
        }
        assert_eq!(elements.pages.len(), 199 * 6, "as many as one round needs");
    }
}
