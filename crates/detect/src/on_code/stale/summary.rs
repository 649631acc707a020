//! What a method means for the values of those who call it: what it hands out of shared data, where it writes what it is
//! given, what it passes through. Computed when it is asked for, a few calls deep.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use program::MethodId;
use program::ir::Op;
use rustc_hash::FxHashMap;

use super::flow::Follow;
use crate::on_code::accesses::{Variable, accessed};
use crate::on_code::locks::{Path, Paths};
use crate::on_code::{Code, Place};

/// A method seen from outside. Paths are in its own terms.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Shared data that it returns.
    pub returns: Vec<Return>,
    /// Parameters that it writes to fields, unless it looks at the field first.
    pub writes: Vec<Written>,
    /// Parameters on which its result depends.
    pub passes: Vec<u32>,
    /// What it overwrites.
    pub overwrites: Vec<(Variable, Option<Path>)>,
}

/// Shared data that a method returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Return {
    /// Which variable.
    pub variable: Variable,
    /// Of which object.
    pub object: Option<Path>,
    /// Where it is read.
    pub place: Place,
    /// The lock under which it is read; none if that is left to the caller.
    pub lock: Option<Path>,
}

/// A parameter that a method writes to a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// Which parameter.
    pub param: u32,
    /// Which variable.
    pub variable: Variable,
    /// Of which object.
    pub object: Option<Path>,
    /// Where.
    pub place: Place,
    /// The innermost lock that the method takes for it.
    pub lock: Option<Path>,
}

/// The summaries of all methods.
pub struct Summaries<'c> {
    code: &'c Code,
    paper: bool,
    known: RefCell<FxHashMap<MethodId, Option<Rc<Summary>>>>,
    depth: Cell<usize>,
}

/// Calls of calls of calls.
const DEEPEST: usize = 5;
/// Larger methods are hardly getters or setters.
const LARGEST: usize = 400;
const MOST: usize = 32;

impl<'c> Summaries<'c> {
    /// None is known yet.
    pub fn new(code: &'c Code, paper: bool) -> Summaries<'c> {
        Summaries { code, paper, known: RefCell::default(), depth: Cell::new(0) }
    }

    /// The summary of a method; `None` if it has no code, or is one of those that are being computed.
    pub fn of(&self, method: MethodId) -> Option<Rc<Summary>> {
        if let Some(known) = self.known.borrow().get(&method) {
            return known.clone();
        }
        let body = self.code.program.body(method)?;
        if self.depth.get() >= DEEPEST {
            return None;
        }
        self.known.borrow_mut().insert(method, None);
        let mut summary = Summary::default();
        if body.insts.len() <= LARGEST {
            self.depth.set(self.depth.get() + 1);
            summary = Follow::run(self.code, method, self.paper, self).summary;
            self.depth.set(self.depth.get() - 1);
        }
        let paths = Paths::new(&self.code.program, &self.code.points, &self.code.locks.stable, method, body);
        for inst in &body.insts {
            if !matches!(inst.op, Op::Put { .. } | Op::PutStatic { .. } | Op::Store { .. }) {
                continue;
            }
            let Some((variable, object, _)) = accessed(self.code, method, &paths, &inst.op) else { continue };
            let is_static = self.code.program.field(variable.field).access & program::flags::STATIC != 0;
            let object = object.filter(|_| !is_static).map(|reg| paths.of(reg));
            let found = (variable, object);
            if !found.1.as_ref().is_some_and(Path::is_local) && !summary.overwrites.contains(&found) {
                summary.overwrites.push(found);
            }
        }
        summary.returns.truncate(MOST);
        summary.writes.truncate(MOST);
        summary.overwrites.truncate(MOST);
        let summary = Some(Rc::new(summary));
        self.known.borrow_mut().insert(method, summary.clone());
        summary
    }
}
