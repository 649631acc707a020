//! Short lists of the places at which a variable was read and written, as small numbers.
//!
//! Equal lists have equal ids: a million objects of one class that were used at the same places in the same order
//! share one list, so keeping it for every variable costs four bytes a variable and one look into a direct-mapped
//! cache an access. A list ends at [`LONGEST`] places, and all of them at [`MOST`] altogether; then nothing is added.

use events::SiteId;
use rustc_hash::FxHashMap;

/// Places in one list.
pub const LONGEST: u8 = 12;
/// Places in all lists together.
pub const MOST: usize = 1 << 21;

/// A list of places, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlaceList(u32);

/// One place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// Where.
    pub site: SiteId,
    /// Whether it wrote there.
    pub write: bool,
}

/// The last place of a list, and the list before it.
#[derive(Clone, Copy)]
struct Node {
    place: Place,
    before: PlaceList,
    length: u8,
}

const CACHE: usize = 1 << 12;

/// A remembered step: this list with this place is that list. A fresh cache says nothing that could be asked.
#[derive(Clone, Copy)]
struct Cached {
    list: u32,
    place: Place,
    result: u32,
}

/// All lists of one analysis.
pub struct Places {
    nodes: Vec<Node>,
    index: FxHashMap<(u32, Place), PlaceList>,
    cache: Box<[Cached]>,
}

impl Default for Places {
    fn default() -> Self {
        let nothing = Place { site: SiteId(u32::MAX), write: false };
        let cached = Cached { list: u32::MAX, place: nothing, result: 0 };
        Self {
            nodes: vec![Node { place: nothing, before: PlaceList::EMPTY, length: 0 }],
            index: FxHashMap::default(),
            cache: vec![cached; CACHE].into(),
        }
    }
}

impl PlaceList {
    /// The list without any place.
    pub const EMPTY: PlaceList = PlaceList(0);
}

impl Places {
    /// The list with one more place at its end, unless that is in it or it is full.
    #[inline]
    pub fn with(&mut self, list: PlaceList, place: Place) -> PlaceList {
        let mixed = list.0.wrapping_mul(0x9e37_79b1)
            ^ (place.site.0 << 1 | u32::from(place.write)).wrapping_mul(0x85eb_ca6b);
        let slot = mixed as usize >> 12 & (CACHE - 1);
        let cached = &self.cache[slot];
        if cached.list == list.0 && cached.place == place {
            return PlaceList(cached.result);
        }
        let result = self.with_slowly(list, place);
        self.cache[slot] = Cached { list: list.0, place, result: result.0 };
        result
    }

    /// Whether nothing can be added to a list any more.
    pub fn is_full(&self, list: PlaceList) -> bool {
        self.nodes[list.0 as usize].length >= LONGEST || self.nodes.len() >= MOST
    }

    /// The places of a list, oldest first.
    pub fn places(&self, list: PlaceList) -> Vec<Place> {
        let mut places = Vec::new();
        let mut list = list;
        while list != PlaceList::EMPTY {
            let node = self.nodes[list.0 as usize];
            places.push(node.place);
            list = node.before;
        }
        places.reverse();
        places
    }

    #[inline(never)]
    fn with_slowly(&mut self, list: PlaceList, place: Place) -> PlaceList {
        let mut at = list;
        while at != PlaceList::EMPTY {
            let node = &self.nodes[at.0 as usize];
            if node.place == place {
                return list;
            }
            at = node.before;
        }
        if let Some(&longer) = self.index.get(&(list.0, place)) {
            return longer;
        }
        if self.is_full(list) {
            return list;
        }
        let longer = PlaceList(self.nodes.len() as u32);
        let length = self.nodes[list.0 as usize].length + 1;
        self.nodes.push(Node { place, before: list, length });
        self.index.insert((list.0, place), longer);
        longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32) -> Place {
        Place { site: SiteId(line), write: line % 2 == 1 }
    }

    #[test]
    fn a_place_is_listed_once_and_in_the_order_of_its_coming() {
        let mut places = Places::default();
        let mut list = PlaceList::EMPTY;
        for line in [4, 2, 4, 3, 2] {
            list = places.with(list, place(line));
        }
        assert_eq!(places.places(list), [4, 2, 3].map(place));
    }

    #[test]
    fn equal_lists_are_one() {
        let mut places = Places::default();
        let build = |places: &mut Places| {
            [1, 2, 3].into_iter().fold(PlaceList::EMPTY, |list, line| places.with(list, place(line)))
        };
        assert_eq!(build(&mut places), build(&mut places));
        assert_eq!(places.nodes.len(), 4);
    }

    #[test]
    fn a_full_list_stays_as_it_is() {
        let mut places = Places::default();
        let list = (0..100).fold(PlaceList::EMPTY, |list, line| places.with(list, place(line)));
        assert!(places.is_full(list));
        assert_eq!(places.places(list).len(), usize::from(LONGEST));
    }
}
