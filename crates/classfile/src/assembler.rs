//! Whole new methods: snippets, labels, branches, switches, handlers and explicit frames become the body of a Code
//! attribute. Stack and locals are counted; frames are not inferred but given, and left out before version 50.

use crate::bytes::{put_u2, put_u4};
use crate::class::{Attribute, Class, write_attributes};
use crate::descriptor::MethodType;
use crate::error::{Error, Reason, Result};
use crate::flags;
use crate::frames::FrameWriter;
use crate::instruction::{Instruction, decode};
use crate::op;
use crate::snippet::Snippet;
use crate::value::{Names, Value, initial_locals};

/// A place in the code, to be bound once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A method in the making.
#[derive(Default)]
pub struct Assembler {
    code: Vec<u8>,
    /// For each label, where it stands and how deep the stack is there, as far as that is known.
    labels: Vec<(Option<u32>, Option<i32>)>,
    jumps: Vec<Jump>,
    handlers: Vec<(Label, Label, Label, u16)>,
    frames: Vec<(u32, Vec<Value>, Vec<Value>)>,
    depth: i32,
    max_stack: i32,
}

struct Jump {
    /// The instruction it is counted from.
    from: u32,
    /// Where the offset is written.
    at: usize,
    wide: bool,
    to: Label,
}

impl Assembler {
    /// An empty method.
    pub fn new() -> Self {
        Self::default()
    }

    /// A label that is not bound yet.
    pub fn label(&mut self) -> Label {
        self.labels.push((None, None));
        Label(self.labels.len() - 1)
    }

    fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// Straight-line code.
    pub fn add(&mut self, snippet: &Snippet) -> &mut Self {
        self.code.extend_from_slice(snippet.bytes());
        self.max_stack = self.max_stack.max(self.depth.saturating_add(snippet.peak()));
        self.depth = self.depth.saturating_add(snippet.net());
        self
    }

    /// The label stands here.
    pub fn bind(&mut self, label: Label) -> Result<&mut Self> {
        let here = self.here();
        let depth = self.depth;
        match self.labels.get_mut(label.0) {
            Some((place @ None, known)) => {
                *place = Some(here);
                // Behind a jump the depth is that of the jumps that come here.
                self.depth = known.unwrap_or(depth);
                *known = Some(self.depth);
                self.max_stack = self.max_stack.max(self.depth);
                Ok(self)
            }
            Some(_) => Err(Error::refused(here as usize, "a label was bound twice")),
            None => Err(Error::refused(here as usize, "a label of another method")),
        }
    }

    /// The label stands here, and this is the frame. Needed wherever a jump or handler leads (from version 50 on).
    pub fn bind_frame(&mut self, label: Label, locals: &[Value], stack: &[Value]) -> Result<&mut Self> {
        let depth = stack.iter().map(|value| i32::from(value.slots())).sum();
        if let Some((_, known)) = self.labels.get_mut(label.0) {
            *known = Some(depth);
        }
        self.bind(label)?;
        self.frames.push((self.here(), locals.to_vec(), stack.to_vec()));
        Ok(self)
    }

    fn jump(&mut self, from: u32, to: Label, wide: bool) {
        self.jumps.push(Jump { from, at: self.code.len(), wide, to });
        self.code.extend_from_slice(if wide { &[0; 4] } else { &[0; 2] });
        if let Some((_, known)) = self.labels.get_mut(to.0) {
            known.get_or_insert(self.depth);
        }
    }

    /// A condition or `goto`.
    pub fn branch(&mut self, opcode: u8, to: Label) -> Result<&mut Self> {
        let operands = match opcode {
            op::GOTO => 0,
            op::IF_ICMPEQ..=op::IF_ACMPNE => 2,
            op::IFEQ..=op::IFLE | op::IFNULL | op::IFNONNULL => 1,
            _ => return Err(Error::refused(self.code.len(), "not a branch")),
        };
        let from = self.here();
        self.depth -= operands;
        self.code.push(opcode);
        self.jump(from, to, false);
        Ok(self)
    }

    fn begin_switch(&mut self, opcode: u8) -> u32 {
        let from = self.here();
        self.depth -= 1;
        self.code.push(opcode);
        self.code.resize(self.code.len().next_multiple_of(4), 0);
        from
    }

    /// A `tableswitch` whose keys start at `low`.
    pub fn table_switch(&mut self, low: i32, targets: &[Label], default: Label) -> Result<&mut Self> {
        let high = i32::try_from(i64::from(low) + targets.len() as i64 - 1);
        let (Ok(high), false) = (high, targets.is_empty()) else {
            return Err(Error::refused(self.code.len(), "a switch without cases, or with too many"));
        };
        let from = self.begin_switch(op::TABLESWITCH);
        self.jump(from, default, true);
        put_u4(&mut self.code, low as u32);
        put_u4(&mut self.code, high as u32);
        for target in targets {
            self.jump(from, *target, true);
        }
        Ok(self)
    }

    /// A `lookupswitch`; the keys must ascend.
    pub fn lookup_switch(&mut self, cases: &[(i32, Label)], default: Label) -> Result<&mut Self> {
        if !cases.is_sorted_by(|one, other| one.0 < other.0) {
            return Err(Error::refused(self.code.len(), "the keys of a switch must ascend"));
        }
        let from = self.begin_switch(op::LOOKUPSWITCH);
        self.jump(from, default, true);
        put_u4(&mut self.code, cases.len() as u32);
        for (key, target) in cases {
            put_u4(&mut self.code, *key as u32);
            self.jump(from, *target, true);
        }
        Ok(self)
    }

    /// Catches what is thrown between two labels; `catch_type` is a class constant, 0 for everything.
    pub fn handler(&mut self, start: Label, end: Label, target: Label, catch_type: u16) -> &mut Self {
        if let Some((_, known)) = self.labels.get_mut(target.0) {
            known.get_or_insert(1);
        }
        self.handlers.push((start, end, target, catch_type));
        self
    }

    fn place(&self, label: Label) -> Result<u32> {
        let place = self.labels.get(label.0).and_then(|(place, _)| *place);
        place.ok_or(Error::refused(self.code.len(), "a label was never bound"))
    }

    /// Adds the method to a class and returns its position.
    pub fn finish(
        mut self,
        class: &mut Class<'_>,
        access: u16,
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<usize> {
        let end = self.code.len();
        if end == 0 || end > usize::from(u16::MAX) {
            return Err(Error { offset: end, reason: Reason::MethodTooLarge });
        }
        for jump in std::mem::take(&mut self.jumps) {
            let by = i64::from(self.place(jump.to)?) - i64::from(jump.from);
            let bytes = if jump.wide {
                (by as i32).to_be_bytes().to_vec()
            } else {
                let short = i16::try_from(by)
                    .map_err(|_| Error { offset: jump.at, reason: Reason::MethodTooLarge })?;
                short.to_be_bytes().to_vec()
            };
            if let Some(place) = self.code.get_mut(jump.at..jump.at + bytes.len()) {
                place.copy_from_slice(&bytes);
            }
        }
        let max_stack = u16::try_from(self.max_stack)
            .map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge("stack places") })?;
        let max_locals = self.max_locals(access, descriptor)?;
        let mut body = Vec::with_capacity(end + 64);
        put_u2(&mut body, max_stack);
        put_u2(&mut body, max_locals);
        put_u4(&mut body, end as u32);
        body.extend_from_slice(&self.code);
        let handlers = u16::try_from(self.handlers.len())
            .map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge("exception handlers") })?;
        put_u2(&mut body, handlers);
        for (start, end, target, catch_type) in &self.handlers {
            for label in [start, end, target] {
                put_u2(&mut body, self.place(*label)? as u16);
            }
            put_u2(&mut body, *catch_type);
        }
        let number = class.add_method(access, name, descriptor, None)?;
        let mut attributes = Vec::new();
        if class.major >= 50
            && !self.frames.is_empty()
            && let Some(method) = class.methods.get(number)
        {
            let mut names = Names::default();
            let mut writer = FrameWriter::new(initial_locals(class, method, &mut names)?);
            for (pc, locals, stack) in &self.frames {
                writer.write(*pc, locals, stack, 0, &names, &mut class.pool)?;
            }
            attributes.push(Attribute::new(class.pool.add_utf8(b"StackMapTable")?, writer.finish()?));
        }
        write_attributes(&mut body, &attributes)?;
        let code = Attribute::new(class.pool.add_utf8(b"Code")?, body);
        if let Some(method) = class.methods.get_mut(number) {
            method.attributes.push(code);
        }
        Ok(number)
    }

    /// Room for the receiver, the parameters and all locals the code names.
    fn max_locals(&self, access: u16, descriptor: &[u8]) -> Result<u16> {
        let types = MethodType::parse(descriptor)
            .ok_or(Error::malformed(0, "a method's descriptor cannot be read"))?;
        let mut most = types.parameter_slots() + u32::from(access & flags::STATIC == 0);
        let mut pc = 0;
        while pc < self.code.len() {
            let (instruction, length) = decode(&self.code, pc, 0)?;
            let end = match instruction {
                Instruction::Load { kind, local } | Instruction::Store { kind, local } => {
                    u32::from(local) + u32::from(kind.slots())
                }
                Instruction::Increment { local, .. } | Instruction::Ret { local } => u32::from(local) + 1,
                _ => 0,
            };
            most = most.max(end);
            pc += length;
        }
        u16::try_from(most).map_err(|_| Error { offset: 0, reason: Reason::TableTooLarge("locals") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Kind;

    #[test]
    fn a_loop_gets_its_offsets_sizes_and_frames() {
        // static int down(int n) { while (n != 0) n--; return n; }
        let mut class = Class::new(52, flags::PUBLIC, b"A", b"java/lang/Object").expect("room");
        let mut method = Assembler::new();
        let (top, out) = (method.label(), method.label());
        let mut load = Snippet::new();
        load.load(Kind::Int, 0);
        let mut less = Snippet::new();
        less.increment(0, -1);
        method.bind_frame(top, &[Value::Int], &[]).expect("new");
        method.add(&load).branch(op::IFEQ, out).expect("a branch").add(&less);
        method.branch(op::GOTO, top).expect("a branch");
        method.bind_frame(out, &[Value::Int], &[]).expect("new");
        let mut end = load.clone();
        end.plain(op::IRETURN).expect("plain");
        method.add(&end);
        let number = method.finish(&mut class, flags::STATIC, b"down", b"(I)I").expect("a method");
        let bytes = class.write().expect("bytes");
        let class = Class::parse(&bytes).expect("a class");
        let code = class.code(&class.methods[number]).expect("readable").expect("code");
        assert_eq!((code.max_stack, code.max_locals), (1, 1));
        let expected =
            [op::ILOAD_0, op::IFEQ, 0, 9, op::IINC, 0, 0xff, op::GOTO, 0xff, 0xf9, op::ILOAD_0, op::IRETURN];
        assert_eq!(code.bytes, expected);
        assert_eq!(&*code.attributes[0].body, [0, 2, 0, 9]);
    }

    #[test]
    fn labels_are_bound_once_and_all_of_them() {
        let mut class = Class::new(52, 0, b"A", b"B").expect("room");
        let mut method = Assembler::new();
        let label = method.label();
        method.branch(op::GOTO, label).expect("a branch");
        assert!(method.finish(&mut class, flags::STATIC, b"f", b"()V").is_err());
        let mut method = Assembler::new();
        let label = method.label();
        method.bind(label).expect("new");
        assert!(method.bind(label).is_err());
        assert!(method.branch(op::JSR, label).is_err());
        assert!(method.lookup_switch(&[(2, label), (1, label)], label).is_err());
    }
}
