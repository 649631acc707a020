//! Final fields after their constructor (Java Language Specification, section 17.5): whoever reads one after the
//! constructor has ended sees the right value without any lock, unless the constructor let `this` escape.
//!
//! `this` counts as escaped if another thread accessed any plain field of the object before its constructor ended.
//! An escape that no other thread had used by then is not seen, nor one that showed only in volatile fields.

use events::{Event, Op, Slot, VarId};

use crate::detector::Now;

/// The objects whose final fields anybody may read.
#[derive(Default)]
pub struct Frozen {
    objects: Vec<bool>,
}

impl Frozen {
    /// Takes the end of a constructor or the death of an object into account; other operations change nothing.
    pub fn step(&mut self, event: &Event, now: &Now<'_>) {
        let (object, frozen) = match event.op {
            Op::Freeze { object } => {
                let of = now.symbols.variables_of(object);
                (object, !of.iter().any(|&var| now.history.met_others(var, event.thread)))
            }
            Op::Free { object } => (object, false),
            _ => return,
        };
        if self.objects.len() <= object.index() {
            self.objects.resize(object.index() + 1, false);
        }
        self.objects[object.index()] = frozen;
    }

    /// Whether the constructor of any object has ended.
    #[inline(always)]
    pub fn any(&self) -> bool {
        !self.objects.is_empty()
    }

    /// Whether a variable is a final field of some object.
    pub fn is_final(var: VarId, now: &Now<'_>) -> bool {
        let variable = now.variable(var);
        match variable.slot {
            Slot::Field(field) => variable.object.is_some() && now.symbols.fields.get(field).is_final,
            Slot::Elements { .. } => false,
        }
    }

    /// Whether a final field may be read without a lock now.
    pub fn protects(&self, var: VarId, now: &Now<'_>) -> bool {
        let object = now.variable(var).object;
        object.is_some_and(|object| self.objects.get(object.index()).copied().unwrap_or(false))
    }
}
