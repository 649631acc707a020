//! What must hold of a body. A judge for tests of the lowering and of whatever changes bodies; linear in the body but
//! for the dominators. What may or may not hold (monitors that pair up) is a fact, found in `monitors.rs`.
//!
//! 1. There is a block; no edge leads to the first; each is reached; what dominates a block comes before it.
//! 2. Blocks' instructions stand one behind the other; the last of each ends it, no other does.
//! 3. A block has as many edges as its end says, all lead to blocks, with one argument for each parameter, of its kind.
//! 4. A register is defined once. A use comes after the definition on every path.
//! 5. `caught` stands in arguments of catch edges only. Such arguments are defined before the first instruction of the
//!    block that may throw.
//! 6. In a block with catch edges, a call, `enter` or `exit` is followed by the block's end only.
//! 7. Operands and results have the kinds that the operation and its descriptors ask for; the entry's parameters are the
//!    method's, and what is returned is what its descriptor says.
//! 8. References are in the class's tables.

use std::fmt;

use super::kinds::{list_kinds, operand_kinds, parameter_kinds, result_kind};
use super::{Block, BlockId, Body, Class, Closure, Edge, Edges, Inst, Kind, Method, Op, Reg, Shape, Table};

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The method, as `name(…)…`.
    pub method: String,
    /// The block.
    pub block: BlockId,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: b{}: {}", self.method, self.block.0, self.reason)
    }
}

/// Everything that does not hold in the bodies of a class.
pub fn verify(class: &Class) -> Vec<Fault> {
    let mut faults = Vec::new();
    for method in &class.methods {
        let Some(body) = method.body() else { continue };
        let mut found = Vec::new();
        Verifier { table: &class.table, body, faults: &mut found }.run(method);
        let name = || class.table.text(method.name).to_owned() + class.table.text(method.descriptor);
        faults.extend(found.into_iter().map(|(block, reason)| Fault { method: name(), block, reason }));
    }
    faults
}

struct Verifier<'v> {
    table: &'v Table,
    body: &'v Body,
    faults: &'v mut Vec<(BlockId, String)>,
}

/// Where a register is defined: block and position; parameters come before all instructions.
type Place = (BlockId, usize);

impl Verifier<'_> {
    fn fault(&mut self, block: BlockId, reason: impl Into<String>) {
        self.faults.push((block, reason.into()));
    }

    fn run(mut self, method: &Method) {
        if self.structure() {
            self.head(method);
            self.registers();
            self.kinds(method);
        }
    }

    /// Rules 1 to 3; later rules make sense only if they hold.
    fn structure(&mut self) -> bool {
        let body = self.body;
        if body.blocks.is_empty() {
            self.fault(BlockId::ENTRY, "there is no block");
            return false;
        }
        let mut expected = 0;
        for (id, block) in body.blocks() {
            let insts = body.insts(block);
            if block.insts.start != expected || insts.len() != block.insts.count as usize {
                self.fault(id, "its instructions do not follow those of the block before");
            }
            expected = block.insts.start.saturating_add(block.insts.count);
            match insts.split_last() {
                Some((last, others)) if last.op.is_end() && !others.iter().any(|i| i.op.is_end()) => {
                    let edges = match last.op {
                        Op::Jump => 1,
                        Op::Branch { .. } => 2,
                        Op::Switch { keys, .. } => body.keys(keys).len() + 1,
                        _ => 0,
                    };
                    if body.edges(block).len() != edges {
                        self.fault(id, format!("{} edges instead of {edges}", body.edges(block).len()));
                    }
                }
                _ => self.fault(id, "the last instruction, and no other, must end the block"),
            }
            for edge in body.all_edges(block) {
                self.edge(id, edge);
            }
        }
        if expected as usize != body.insts.len() {
            self.fault(BlockId::ENTRY, "some instructions belong to no block");
        }
        let shape = Shape::new(body, Edges::All);
        for (id, _) in body.blocks() {
            match shape.dominator(id) {
                None if id != BlockId::ENTRY => self.fault(id, "it is never reached"),
                Some(above) if above >= id => self.fault(id, "it comes before what dominates it"),
                _ => {}
            }
        }
        self.faults.is_empty()
    }

    fn edge(&mut self, id: BlockId, edge: &Edge) {
        let body = self.body;
        let Some(target) = body.blocks.get(edge.target.index()) else {
            return self.fault(id, "an edge leads to no block");
        };
        if edge.target == BlockId::ENTRY {
            self.fault(id, "an edge leads to the entry");
        }
        let (arguments, params) = (body.list(edge.arguments), body.list(target.params));
        if arguments.len() != params.len() {
            let reason = format!("{} arguments for {} of b{}", arguments.len(), params.len(), edge.target.0);
            self.fault(id, reason);
        }
        for (argument, param) in arguments.iter().zip(params) {
            if body.kind(*argument) != body.kind(*param) {
                self.fault(id, format!("r{} is no {}", argument.0, body.kind(*param).word()));
            }
        }
    }

    /// The entry's parameters.
    fn head(&mut self, method: &Method) {
        let Some(mut kinds) = parameter_kinds(self.table.text(method.descriptor)) else {
            return self.fault(BlockId::ENTRY, "the method's descriptor cannot be read");
        };
        if !method.is_static() {
            kinds.insert(0, Kind::Ref);
        }
        let params = self.body.params();
        let fits = params.iter().map(|param| self.body.kind(*param)).eq(kinds);
        if !fits || params.iter().zip(0..).any(|(param, number)| param.0 != number) {
            self.fault(BlockId::ENTRY, "the entry's parameters are not those of the method");
        }
    }

    /// Rules 4 to 6.
    fn registers(&mut self) {
        let body = self.body;
        let mut places: Vec<Option<Place>> = vec![None; body.kinds.len()];
        for (id, block) in body.blocks() {
            let params = body.list(block.params).iter().map(|param| (*param, 0));
            let results = body.insts(block).iter().zip(1..).map(|(inst, at)| (inst.result, at));
            for (reg, at) in params.chain(results.filter(|(reg, _)| *reg != Reg::NONE)) {
                match places.get_mut(reg.index()) {
                    Some(place @ None) => *place = Some((id, at)),
                    Some(Some(_)) => self.fault(id, format!("r{} is defined twice", reg.0)),
                    None => self.fault(id, format!("r{} is not among the registers", reg.0)),
                }
            }
        }
        let intervals = Shape::new(body, Edges::All).intervals();
        let span = |block: BlockId| intervals.get(block.index()).copied().unwrap_or_default();
        let reaches = |reg: Reg, id: BlockId, at: usize| match places.get(reg.index()) {
            Some(Some((block, defined))) if *block == id => *defined < at,
            Some(Some((block, _))) => span(*block).0 <= span(id).0 && span(id).1 <= span(*block).1,
            _ => false,
        };
        for (id, block) in body.blocks() {
            let insts = body.insts(block);
            for (inst, at) in insts.iter().zip(1..) {
                for reg in body.uses(&inst.op).filter(|reg| !reaches(*reg, id, at)) {
                    self.fault(id, format!("r{} is used where it is not defined", reg.0));
                }
            }
            for edge in body.edges(block) {
                for reg in body.list(edge.arguments).iter().filter(|reg| !reaches(**reg, id, usize::MAX)) {
                    self.fault(id, format!("r{} is given where it is not defined", reg.0));
                }
            }
            self.catches(id, block, insts, &reaches);
        }
    }

    fn catches(
        &mut self,
        id: BlockId,
        block: &Block,
        insts: &[Inst],
        reaches: &dyn Fn(Reg, BlockId, usize) -> bool,
    ) {
        let body = self.body;
        let catches = body.catches(block);
        if catches.is_empty() {
            return;
        }
        let thrown = insts.iter().position(|inst| inst.op.may_throw()).map_or(usize::MAX, |at| at + 1);
        for edge in catches {
            for reg in body.list(edge.arguments) {
                if *reg != Reg::CAUGHT && !reaches(*reg, id, thrown) {
                    self.fault(id, format!("r{} is given to a catch and may not be defined", reg.0));
                }
            }
        }
        for inst in insts.iter().rev().skip(2) {
            if matches!(inst.op, Op::Call { .. } | Op::Enter { .. } | Op::Exit { .. }) {
                self.fault(id, "a call, enter or exit stands before the end of a block with catches");
            }
        }
    }

    /// Rules 7 and 8.
    fn kinds(&mut self, method: &Method) {
        let (body, table) = (self.body, self.table);
        let returned = classfile::MethodType::parse(table.text(method.descriptor).as_bytes())
            .and_then(|types| types.result())
            .map(Kind::of);
        for (id, block) in body.blocks() {
            for inst in body.insts(block) {
                if !references_fit(table, &inst.op) {
                    self.fault(id, "a reference is not in the tables");
                    continue;
                }
                let (Some(operands), Some(listed)) =
                    (operand_kinds(table, body, &inst.op), list_kinds(table, &inst.op))
                else {
                    self.fault(id, "a descriptor cannot be read");
                    continue;
                };
                for (reg, kind) in operands {
                    if body.kind(reg) != kind {
                        self.fault(id, format!("pc {}: r{} is no {}", inst.pc, reg.0, kind.word()));
                    }
                }
                let list = inst.op.list().map(|list| body.list(list)).unwrap_or_default();
                if !matches!(inst.op, Op::Concat { .. })
                    && !list.iter().map(|reg| body.kind(*reg)).eq(listed.iter().copied())
                {
                    self.fault(id, format!("pc {}: the arguments do not fit", inst.pc));
                }
                match result_kind(table, &inst.op) {
                    None if inst.result != Reg::NONE => self.fault(id, "it has no result"),
                    Some(kind) if inst.result != Reg::NONE && body.kind(inst.result) != kind => {
                        self.fault(id, format!("the result is no {}", kind.word()));
                    }
                    _ => {}
                }
                if let Op::Return { value } = inst.op {
                    let given = value.is_some().then(|| body.kind(value));
                    if given != returned {
                        self.fault(id, "what is returned is not what the descriptor says");
                    }
                }
            }
        }
    }
}

fn references_fit(table: &Table, op: &Op) -> bool {
    match *op {
        Op::Text(text) | Op::MethodType(text) | Op::Concat { recipe: text, .. } => {
            text.index() < table.text_count()
        }
        Op::Class(class)
        | Op::New(class)
        | Op::NewArray { class, .. }
        | Op::NewArrays { class, .. }
        | Op::InstanceOf { class, .. }
        | Op::Cast { class, .. } => class.index() < table.classes.len(),
        Op::Handle(handle) => handle.index() < table.handles.len(),
        Op::Get { field, .. }
        | Op::Put { field, .. }
        | Op::GetStatic { field }
        | Op::PutStatic { field, .. } => field.index() < table.fields.len(),
        Op::Call { method, .. } => method.index() < table.methods.len(),
        Op::Closure { closure, .. } => {
            let found: Option<&Closure> = table.closures.get(closure.index());
            found.is_some_and(|closure| !closure.body.kind.is_field())
        }
        Op::Dynamic { site, .. } => site.index() < table.sites.len(),
        _ => true,
    }
}
