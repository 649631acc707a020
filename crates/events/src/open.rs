//! stub
use crate::*;
use std::io::Read;
use std::path::Path;
/// The form of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// binary
    Binary,
    /// text
    Text,
    /// std
    Rapid,
}
/// Opens a trace file of any form.
pub fn open(_path: &Path) -> Result<Box<dyn Source>, TraceError> {
    unimplemented!()
}
/// Opens a stream.
pub fn open_stream(_name: &str, _stream: Box<dyn Read>) -> Result<Box<dyn Source>, TraceError> {
    unimplemented!()
}
