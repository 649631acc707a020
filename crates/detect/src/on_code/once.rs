//! Which methods run at most once, and so which objects there is at most one of. Only what is plain: what `main` and the
//! initialisers of classes do, and what they alone call, outside of loops; what the only constructor call of such an object
//! makes; and the one object that a static field ever holds, however it came there (a singleton that is made when it is
//! first asked for).

use program::MethodId;
use program::ir::Op;
use program::points::{Made, RootKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Code;
use super::accesses::leads;

/// Who calls whom, as far as that says what runs once.
pub struct Once {
    callers: FxHashMap<MethodId, Vec<(MethodId, u32)>>,
    roots: FxHashMap<MethodId, RootKind>,
    by_library: FxHashSet<MethodId>,
    /// What is the only object of a static field.
    alone: FxHashSet<u32>,
    /// By task: in how many roots, and how often, it is handed over.
    tasks: FxHashMap<u32, (usize, usize)>,
}

/// How many calls are followed up.
const HIGHEST: usize = 6;

impl Once {
    /// Gathers who calls whom.
    pub fn new(code: &Code) -> Once {
        let mut callers: FxHashMap<MethodId, Vec<(MethodId, u32)>> = FxHashMap::default();
        for (caller, inst, callee) in code.points.all_targets() {
            callers.entry(callee).or_default().push((caller, inst));
        }
        let roots = code.points.roots().iter().map(|root| (root.method, root.kind)).collect();
        let by_library = code.called_by_libraries().collect();
        let held = code.points.statics().filter(|(_, set)| set.len() == 1);
        let alone = held.flat_map(|(_, set)| set.iter()).filter(|object| !code.points.is_anything(*object));
        let mut tasks: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
        for root in code.points.roots() {
            for object in &root.objects {
                tasks.entry(*object).or_default().0 += 1;
            }
            for (object, _) in &root.handed {
                tasks.entry(*object).or_default().1 += 1;
            }
        }
        Once { callers, roots, by_library, alone: alone.collect(), tasks }
    }

    fn runs(&self, code: &Code, method: MethodId, depth: usize) -> bool {
        if code.program.names_of(method).0 == "<clinit>" {
            return true;
        }
        let callers = self.callers.get(&method).map(Vec::as_slice).unwrap_or_default();
        if self.by_library.contains(&method) || depth == 0 {
            return false;
        }
        match (self.roots.get(&method), callers) {
            (Some(RootKind::Main), []) => true,
            (None, [(caller, inst)]) => self.is_at(code, *caller, *inst, depth - 1),
            _ => false,
        }
    }

    /// Is the instruction run at most once?
    pub fn is_run(&self, code: &Code, method: MethodId, inst: u32) -> bool {
        self.is_at(code, method, inst, HIGHEST)
    }

    fn is_at(&self, code: &Code, method: MethodId, inst: u32, depth: usize) -> bool {
        let Some(body) = code.program.body(method) else { return false };
        !leads(body, inst, inst) && self.runs(code, method, depth)
    }

    /// Is there at most one such object?
    pub fn is_made(&self, code: &Code, object: u32) -> bool {
        let Some((method, inst)) = code.points.object(object).place else { return false };
        let made = code.program.body(method).and_then(|body| body.insts.get(inst as usize));
        // A reference to a constructor makes an object whenever it is called.
        let by_closure = code.points.object(object).made == Made::New
            && made.is_some_and(|made| matches!(made.op, Op::Closure { .. }));
        !by_closure && self.is_at(code, method, inst, HIGHEST)
    }

    /// Does whoever locks an object of this kind lock the same one, as far as can be told? Not sure to be so, but those of
    /// which it is not so are sure to be several.
    pub fn is_one(&self, code: &Code, object: u32) -> bool {
        let mut object = object;
        for _ in 0..HIGHEST {
            let Some((method, inst)) = code.points.object(object).place else { return true };
            if self.alone.contains(&object) || self.is_made(code, object) {
                return true;
            }
            // Made by a constructor: there are as many as of the object that is being made.
            let Some(body) = code.program.body(method) else { return true };
            if code.program.names_of(method).0 != "<init>" || leads(body, inst, inst) {
                return false;
            }
            let this = body.params().first().and_then(|this| code.points.of(method, *this));
            let mut made = this.into_iter().flat_map(|set| set.iter());
            match (made.next(), made.next()) {
                (Some(whole), None) if whole != object => object = whole,
                _ => return false,
            }
        }
        true
    }

    /// Is the object a task that is handed over at most once?
    pub fn is_own_task(&self, code: &Code, object: u32) -> bool {
        let known = self.tasks.get(&object);
        !code.points.is_crowd(object) && known.is_some_and(|(roots, times)| *roots == 1 && *times <= 1)
    }
}
