//! The parts of one array, by where they begin. A few lie in a list, which most arrays never outgrow: small ones come and go by
//! the hundred thousand, and a tree for each would be most of the work. Many lie in a tree. What they mean is said in `ranges.rs`.

use std::collections::BTreeMap;

use events::VarId;

/// Where a part begins: its colour, and how many elements of that colour come before it in the array.
pub(super) type Place = (u32, u64);

#[derive(Clone, Copy)]
pub(super) struct Part {
    /// How many elements of the colour come before its end.
    pub end: u64,
    pub var: VarId,
    /// The variable of the trace that is exactly this part, if one is known to be.
    pub named: Option<VarId>,
}

/// The most that lie in a list.
const FEW: usize = 24;

pub(super) enum Parts {
    /// Ascending.
    Few(Vec<(Place, Part)>),
    Many(BTreeMap<Place, Part>),
}

impl Default for Parts {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Parts {
    /// The last part of the colour that begins before a place.
    pub fn before(&self, (colour, at): Place) -> Option<(Place, Part)> {
        let last = match self {
            Self::Few(list) => {
                *list.get(list.partition_point(|(place, _)| *place < (colour, at)).checked_sub(1)?)?
            }
            Self::Many(tree) => {
                tree.range((colour, 0)..(colour, at)).next_back().map(|(&place, &part)| (place, part))?
            }
        };
        (last.0.0 == colour).then_some(last)
    }

    /// The part that begins at a place.
    pub fn get_mut(&mut self, place: Place) -> Option<&mut Part> {
        match self {
            Self::Few(list) => {
                let at = list.binary_search_by_key(&place, |(place, _)| *place).ok()?;
                list.get_mut(at).map(|(_, part)| part)
            }
            Self::Many(tree) => tree.get_mut(&place),
        }
    }

    /// The parts of a colour that begin from here on and before there.
    pub fn between(&self, colour: u32, from: u64, to: u64, found: &mut Vec<(u64, Part)>) {
        match self {
            Self::Few(list) => {
                let first = list.partition_point(|(place, _)| *place < (colour, from));
                let some = list.iter().skip(first).take_while(|(place, _)| *place < (colour, to));
                found.extend(some.map(|(place, part)| (place.1, *part)));
            }
            Self::Many(tree) => {
                let some = tree.range((colour, from)..(colour, to));
                found.extend(some.map(|(place, part)| (place.1, *part)));
            }
        }
    }

    /// Puts a part at a place, instead of the one that began there.
    pub fn insert(&mut self, place: Place, part: Part) {
        match self {
            Self::Few(list) => match list.binary_search_by_key(&place, |(place, _)| *place) {
                Ok(at) => list[at].1 = part,
                Err(at) if list.len() < FEW => list.insert(at, (place, part)),
                Err(_) => {
                    let mut tree: BTreeMap<Place, Part> = std::mem::take(list).into_iter().collect();
                    tree.insert(place, part);
                    *self = Self::Many(tree);
                }
            },
            Self::Many(tree) => {
                tree.insert(place, part);
            }
        }
    }

    /// Takes all away; a list stays for other parts.
    pub fn clear(&mut self, mut gone: impl FnMut(Part)) {
        match self {
            Self::Few(list) => list.drain(..).for_each(|(_, part)| gone(part)),
            Self::Many(_) => self.take().into_iter().for_each(|(_, part)| gone(part)),
        }
    }

    /// All of them, ascending.
    pub fn take(&mut self) -> Vec<(Place, Part)> {
        match std::mem::take(self) {
            Self::Few(list) => list,
            Self::Many(tree) => tree.into_iter().collect(),
        }
    }

    /// All of them, to look at.
    #[cfg(test)]
    pub fn all(&self) -> Vec<(Place, Part)> {
        match self {
            Self::Few(list) => list.clone(),
            Self::Many(tree) => tree.iter().map(|(&place, &part)| (place, part)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_has_become_a_tree_holds_the_same() {
        let between = |parts: &Parts, colour, from, to| {
            let mut found = Vec::new();
            parts.between(colour, from, to, &mut found);
            found.len()
        };
        let part = |end| Part { end, var: VarId(end as u32), named: None };
        let mut parts = Parts::default();
        for number in 0..100 {
            let at = number * 37 % 100;
            let place = ((at % 3) as u32, at * 10);
            assert!(parts.get_mut(place).is_none());
            parts.insert(place, part(0));
            parts.insert(place, part(at));
            assert_eq!(parts.get_mut(place).map(|part| part.end), Some(at));
            assert_eq!(parts.all().len() as u64, number + 1);
            assert!(parts.all().is_sorted_by_key(|(place, _)| *place));
            assert_eq!(parts.before((place.0, place.1 + 1)).map(|found| found.1.end), Some(at));
            assert_eq!(between(&parts, place.0, place.1, place.1 + 1), 1);
        }
        assert!(matches!(parts, Parts::Many(_)));
        assert!(parts.before((1, 0)).is_none(), "nothing of that colour");
        assert_eq!(between(&parts, 0, 0, 1000), 34);
        assert_eq!(parts.take().len(), 100);
        assert!(parts.all().is_empty());
    }
}
