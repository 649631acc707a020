//! stub
use crate::*;
/// A trace that no run can have made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The event, counted from 1.
    pub event: u64,
    /// What is wrong with it.
    pub reason: String,
}
/// Checks a trace while it is read.
#[derive(Default)]
pub struct Checker {}
impl Checker {
    /// Checks the next events.
    pub fn batch(&mut self, _events: &[Event], _symbols: &Symbols) -> Result<(), Malformed> {
        Ok(())
    }
    /// Checks what must hold at the end.
    pub fn finish(&mut self, _symbols: &Symbols) -> Result<(), Malformed> {
        Ok(())
    }
}
