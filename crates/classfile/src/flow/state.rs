//! What is known of locals and stack at one place, and how a store changes it. What instructions do is in `machine.rs`.

use crate::value::Value;

/// Types of locals and stack before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By slot; slots beyond the end are `Top`.
    pub(crate) locals: Vec<Value>,
    pub(crate) stack: Vec<Value>,
    /// What `locals` held before each change since the list was last emptied, when somebody wants to undo.
    pub(super) undo: Option<Vec<(u16, Value)>>,
    /// Set with every change to a local.
    pub(super) touched: bool,
}

impl State {
    /// What the local slot holds.
    pub fn local(&self, slot: u16) -> Value {
        self.locals.get(usize::from(slot)).copied().unwrap_or(Value::Top)
    }

    /// All locals up to the last that is known, by slot: a long is followed by `Second`.
    pub fn locals(&self) -> &[Value] {
        &self.locals
    }

    /// The operand stack, the top last; a long is one value.
    pub fn stack(&self) -> &[Value] {
        &self.stack
    }

    /// The value that many below the top (0 is the top).
    pub fn peek(&self, below: usize) -> Option<Value> {
        self.stack.iter().rev().nth(below).copied()
    }

    /// Adds a value behind the last local.
    pub(super) fn push_local(&mut self, value: Value) {
        self.locals.push(value);
        if value.is_wide() {
            self.locals.push(Value::Second);
        }
    }

    fn put(&mut self, slot: u16, value: Value) {
        let at = usize::from(slot);
        if at >= self.locals.len() {
            self.locals.resize(at + 1, Value::Top);
        }
        if let Some(place) = self.locals.get_mut(at) {
            if let Some(undo) = &mut self.undo {
                undo.push((slot, *place));
            }
            *place = value;
            self.touched = true;
        }
    }

    pub(super) fn set_local(&mut self, slot: u16, value: Value) {
        // Half of a long that is written over leaves nothing of the other half.
        if let Some(before) = slot.checked_sub(1).filter(|_| self.local(slot) == Value::Second) {
            self.put(before, Value::Top);
        }
        let last = if value.is_wide() { slot.saturating_add(1) } else { slot };
        if self.local(last).is_wide() {
            self.put(last.saturating_add(1), Value::Top);
        }
        self.put(slot, value);
        if value.is_wide() {
            self.put(last, Value::Second);
        }
    }

    /// Every place that held `from` holds `to`.
    pub(super) fn replace(&mut self, from: Value, to: Value) {
        for value in self.stack.iter_mut().filter(|value| **value == from) {
            *value = to;
        }
        for slot in 0..self.locals.len() {
            if self.locals.get(slot) == Some(&from) {
                self.put(slot as u16, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Value::{Double, Int, Long};

    #[test]
    fn a_store_into_half_a_long_forgets_the_long() {
        let mut state = State::default();
        state.set_local(1, Long);
        assert_eq!(state.locals, [Value::Top, Long, Value::Second]);
        state.set_local(2, Int);
        assert_eq!(state.locals, [Value::Top, Value::Top, Int]);
        state.set_local(1, Double);
        state.set_local(0, Long);
        assert_eq!(state.locals, [Long, Value::Second, Value::Top]);
    }
}
