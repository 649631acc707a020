//! A method's body: blocks of instructions in plain vectors. Registers are defined once; where values of several paths
//! meet, the block has parameters and each edge to it gives arguments. What must hold is listed in `verify.rs`.
//!
//! # Exceptions
//! A block has catch edges, tried in order, for everything that its instructions may throw; without one that fits, the
//! method ends. In a block with catch edges a call, `enter` or `exit` is followed by nothing but the block's end, and
//! the arguments of catch edges are defined before the first instruction that may throw. So what holds at a catch edge
//! is what held at the block's start, but for fields and arrays written in it and what its last call did.

use super::op::{Inst, List, Op, Reg};
use super::words::Kind;
use super::{ClassRef, TextId};

/// A block's number; 0 is the entry, whose parameters are the method's (receiver first). No edge leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Where every body starts.
    pub const ENTRY: BlockId = BlockId(0);

    /// Its index, for vectors by block.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Instructions that run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Block {
    /// Its parameters: a list of registers.
    pub params: List,
    /// Its instructions, the last of which ends it.
    pub insts: List,
    /// Where it may go: as many edges as its last instruction says.
    pub edges: List,
    /// Where exceptions go, in the order in which they are tried.
    pub catches: List,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: BlockId,
    /// One for each of the target's parameters.
    pub arguments: List,
    /// Which exceptions take it; everything on a normal edge.
    pub caught: Caught,
}

/// What a catch edge catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caught {
    /// Every exception.
    Any,
    /// Those of a class.
    Class(ClassRef),
}

/// The instructions of a method.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Body {
    /// The kinds of all registers.
    pub kinds: Vec<Kind>,
    /// All blocks, the entry first; what dominates comes before what it dominates.
    pub blocks: Vec<Block>,
    /// All instructions, block after block.
    pub insts: Vec<Inst>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// All lists of registers.
    pub regs: Vec<Reg>,
    /// All keys of switches.
    pub keys: Vec<i32>,
}

fn part<T>(of: &[T], list: List) -> &[T] {
    of.get(list.range()).unwrap_or_default()
}

impl Body {
    /// All blocks with their numbers.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = (BlockId, &Block)> + ExactSizeIterator {
        self.blocks.iter().enumerate().map(|(number, block)| (BlockId(number as u32), block))
    }

    /// A block; an empty one if there is no such number.
    pub fn block(&self, id: BlockId) -> Block {
        self.blocks.get(id.index()).copied().unwrap_or_default()
    }

    /// The method's parameters, the receiver first.
    pub fn params(&self) -> &[Reg] {
        self.list(self.block(BlockId::ENTRY).params)
    }

    /// A list of registers.
    pub fn list(&self, list: List) -> &[Reg] {
        part(&self.regs, list)
    }

    /// The keys of a switch.
    pub fn keys(&self, list: List) -> &[i32] {
        part(&self.keys, list)
    }

    /// The instructions of a block.
    pub fn insts(&self, block: &Block) -> &[Inst] {
        part(&self.insts, block.insts)
    }

    /// Where a block goes when nothing is thrown.
    pub fn edges(&self, block: &Block) -> &[Edge] {
        part(&self.edges, block.edges)
    }

    /// Where a block goes when something is thrown.
    pub fn catches(&self, block: &Block) -> &[Edge] {
        part(&self.edges, block.catches)
    }

    /// All edges of a block, the normal ones first.
    pub fn all_edges(&self, block: &Block) -> impl Iterator<Item = &Edge> {
        self.edges(block).iter().chain(self.catches(block))
    }

    /// The kind of a register; an exception is an object.
    pub fn kind(&self, reg: Reg) -> Kind {
        self.kinds.get(reg.index()).copied().unwrap_or(Kind::Ref)
    }

    /// Every register that an instruction uses.
    pub fn uses(&self, op: &Op) -> impl Iterator<Item = Reg> {
        let list = op.list().map(|list| self.list(list)).unwrap_or_default();
        op.operands().into_iter().filter(|reg| *reg != Reg::NONE).chain(list.iter().copied())
    }

    /// Adds a register.
    pub fn add_reg(&mut self, kind: Kind) -> Reg {
        self.kinds.push(kind);
        Reg(self.kinds.len() as u32 - 1)
    }

    /// Adds a list of registers.
    pub fn add_list(&mut self, regs: &[Reg]) -> List {
        let start = self.regs.len() as u32;
        self.regs.extend_from_slice(regs);
        List { start, count: regs.len() as u32 }
    }
}

/// The code of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is abstract or native.
    Absent,
    /// Its instructions.
    Body(Box<Body>),
    /// It has some, which was left unread: only the outline of the class was asked for.
    Unread,
    /// It could not be read, and why.
    Gap(TextId),
}
