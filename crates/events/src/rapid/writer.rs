//! stub
use crate::*;
/// stub
pub struct Writer;
/// stub
pub struct Lost;
/// stub
pub struct WriteError;
