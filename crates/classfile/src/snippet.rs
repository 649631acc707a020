//! A small assembler for straight-line code: no jumps, so its bytes are right wherever they are put. Code with labels
//! is made by `assembler.rs` out of snippets.

use crate::bytes::put_u2;
use crate::descriptor::MethodType;
use crate::effect::{member_effect, plain_effect};
use crate::error::{Error, Reason, Result};
use crate::instruction::Kind;
use crate::op;
use crate::pool::Pool;

/// Instructions one after another, and how much stack they need. Every method appends; make it once and use it often.
#[derive(Clone, Debug, Default)]
pub struct Snippet {
    bytes: Vec<u8>,
    net: i32,
    peak: i32,
    last: u8,
}

impl Snippet {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it empty and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.net, self.peak, self.last) = (0, 0, op::NOP);
    }

    /// The instructions.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many places the stack holds more (or fewer) afterwards.
    pub fn net(&self) -> i32 {
        self.net
    }

    /// How many places the stack holds more at most than at its start.
    pub fn peak(&self) -> i32 {
        self.peak
    }

    /// Does what follows run after it?
    pub fn falls_through(&self) -> bool {
        op::falls_through(self.last)
    }

    fn push(&mut self, opcode: u8, effect: i32) -> &mut Self {
        self.bytes.push(opcode);
        self.last = opcode;
        self.net = self.net.saturating_add(effect);
        self.peak = self.peak.max(self.net);
        self
    }

    fn push_index(&mut self, opcode: u8, index: u16, effect: i32) -> &mut Self {
        self.push(opcode, effect);
        put_u2(&mut self.bytes, index);
        self
    }

    /// An instruction without operands: `op::DUP`, `op::LADD`, `op::ATHROW`, … An opcode that has operands is refused.
    pub fn plain(&mut self, opcode: u8) -> Result<&mut Self> {
        match plain_effect(opcode) {
            Some(effect) => Ok(self.push(opcode, effect)),
            None => Err(Error::refused(0, "this instruction needs operands")),
        }
    }

    /// Several without operands.
    pub fn plains(&mut self, opcodes: &[u8]) -> Result<&mut Self> {
        for opcode in opcodes {
            self.plain(*opcode)?;
        }
        Ok(self)
    }

    /// All of another snippet.
    pub fn append(&mut self, other: &Snippet) -> &mut Self {
        if !other.is_empty() {
            self.peak = self.peak.max(self.net.saturating_add(other.peak));
            self.net = self.net.saturating_add(other.net);
            self.bytes.extend_from_slice(&other.bytes);
            self.last = other.last;
        }
        self
    }

    fn local(&mut self, base: u8, packed: u8, kind: Kind, local: u16, effect: i32) -> &mut Self {
        let number = kind as u8;
        match local {
            0..=3 => self.push(packed + 4 * number + local as u8, effect),
            4..=255 => {
                self.push(base + number, effect);
                self.bytes.push(local as u8);
                self
            }
            _ => {
                self.push(op::WIDE, effect);
                self.bytes.push(base + number);
                put_u2(&mut self.bytes, local);
                self
            }
        }
    }

    /// A local onto the stack.
    pub fn load(&mut self, kind: Kind, local: u16) -> &mut Self {
        self.local(op::ILOAD, op::ILOAD_0, kind, local, i32::from(kind.slots()))
    }

    /// The stack's top into a local.
    pub fn store(&mut self, kind: Kind, local: u16) -> &mut Self {
        self.local(op::ISTORE, op::ISTORE_0, kind, local, -i32::from(kind.slots()))
    }

    /// Adds to an int local.
    pub fn increment(&mut self, local: u16, by: i16) -> &mut Self {
        match (u8::try_from(local), i8::try_from(by)) {
            (Ok(local), Ok(by)) => {
                self.push(op::IINC, 0);
                self.bytes.extend([local, by as u8]);
            }
            _ => {
                self.push(op::WIDE, 0);
                self.bytes.push(op::IINC);
                put_u2(&mut self.bytes, local);
                put_u2(&mut self.bytes, by as u16);
            }
        }
        self
    }

    fn constant(&mut self, index: u16) -> &mut Self {
        match u8::try_from(index) {
            Ok(short) => {
                self.push(op::LDC, 1);
                self.bytes.push(short);
                self
            }
            Err(_) => self.push_index(op::LDC_W, index, 1),
        }
    }

    /// An int constant, in its shortest form.
    pub fn int(&mut self, pool: &mut Pool<'_>, value: i32) -> Result<&mut Self> {
        Ok(match value {
            -1..=5 => self.push((i32::from(op::ICONST_0) + value) as u8, 1),
            -128..=127 => {
                self.push(op::BIPUSH, 1);
                self.bytes.push(value as u8);
                self
            }
            -32768..=32767 => self.push_index(op::SIPUSH, value as u16, 1),
            _ => {
                let index = pool.add_integer(value)?;
                self.constant(index)
            }
        })
    }

    /// A long constant.
    pub fn long(&mut self, pool: &mut Pool<'_>, value: i64) -> Result<&mut Self> {
        Ok(match value {
            0 | 1 => self.push(op::LCONST_0 + value as u8, 2),
            _ => {
                let index = pool.add_long(value)?;
                self.push_index(op::LDC2_W, index, 2)
            }
        })
    }

    /// A float constant.
    pub fn float(&mut self, pool: &mut Pool<'_>, value: f32) -> Result<&mut Self> {
        let index = pool.add_float(value)?;
        Ok(self.constant(index))
    }

    /// A double constant.
    pub fn double(&mut self, pool: &mut Pool<'_>, value: f64) -> Result<&mut Self> {
        let index = pool.add_double(value)?;
        Ok(self.push_index(op::LDC2_W, index, 2))
    }

    /// A string literal.
    pub fn string(&mut self, pool: &mut Pool<'_>, text: &str) -> Result<&mut Self> {
        let index = pool.add_string(&crate::text::encode(text))?;
        Ok(self.constant(index))
    }

    /// A class object. Not before version 49.
    pub fn class(&mut self, pool: &mut Pool<'_>, name: &[u8]) -> Result<&mut Self> {
        let index = pool.add_class(name)?;
        Ok(self.constant(index))
    }

    /// A field access by the member's index: the same one an existing instruction uses, say.
    pub fn field_at(&mut self, opcode: u8, index: u16, descriptor: &[u8]) -> Result<&mut Self> {
        match opcode {
            op::GETSTATIC..=op::PUTFIELD => match member_effect(opcode, descriptor) {
                Some(effect) => Ok(self.push_index(opcode, index, effect)),
                None => Err(Error::malformed(0, "a field's descriptor cannot be read")),
            },
            _ => Err(Error::refused(0, "not a field access")),
        }
    }

    /// `op::GETSTATIC`, `op::PUTSTATIC`, `op::GETFIELD` or `op::PUTFIELD`.
    pub fn field(
        &mut self,
        pool: &mut Pool<'_>,
        opcode: u8,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<&mut Self> {
        let index = pool.add_field_ref(owner, name, descriptor)?;
        self.field_at(opcode, index, descriptor)
    }

    /// A call by the method's index.
    pub fn invoke_at(&mut self, opcode: u8, index: u16, descriptor: &[u8]) -> Result<&mut Self> {
        let types = match opcode {
            op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC => MethodType::parse(descriptor),
            _ => return Err(Error::refused(0, "not a call")),
        };
        let (Some(types), Some(effect)) = (types, member_effect(opcode, descriptor)) else {
            return Err(Error::malformed(0, "a method's descriptor cannot be read"));
        };
        self.push_index(opcode, index, effect);
        match opcode {
            op::INVOKEINTERFACE => match u8::try_from(types.parameter_slots() + 1) {
                Ok(count) => self.bytes.extend([count, 0]),
                Err(_) => return Err(Error { offset: 0, reason: Reason::TableTooLarge("parameters") }),
            },
            op::INVOKEDYNAMIC => self.bytes.extend([0, 0]),
            _ => {}
        }
        Ok(self)
    }

    /// A static method of a class.
    pub fn invoke_static(
        &mut self,
        pool: &mut Pool<'_>,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<&mut Self> {
        let index = pool.add_method_ref(owner, name, descriptor)?;
        self.invoke_at(op::INVOKESTATIC, index, descriptor)
    }

    /// A virtual method of a class.
    pub fn invoke_virtual(
        &mut self,
        pool: &mut Pool<'_>,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<&mut Self> {
        let index = pool.add_method_ref(owner, name, descriptor)?;
        self.invoke_at(op::INVOKEVIRTUAL, index, descriptor)
    }

    /// A constructor, a private method, or a method of the superclass.
    pub fn invoke_special(
        &mut self,
        pool: &mut Pool<'_>,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<&mut Self> {
        let index = pool.add_method_ref(owner, name, descriptor)?;
        self.invoke_at(op::INVOKESPECIAL, index, descriptor)
    }

    /// A method of an interface: with `op::INVOKEINTERFACE`, or `op::INVOKESTATIC` for its static methods (version 52).
    pub fn invoke_interface(
        &mut self,
        pool: &mut Pool<'_>,
        opcode: u8,
        owner: &[u8],
        name: &[u8],
        descriptor: &[u8],
    ) -> Result<&mut Self> {
        let index = pool.add_interface_method_ref(owner, name, descriptor)?;
        self.invoke_at(opcode, index, descriptor)
    }

    /// `op::NEW`, `op::ANEWARRAY`, `op::CHECKCAST` or `op::INSTANCEOF` of a class.
    pub fn class_op(&mut self, pool: &mut Pool<'_>, opcode: u8, name: &[u8]) -> Result<&mut Self> {
        let effect = match opcode {
            op::NEW => 1,
            op::ANEWARRAY | op::CHECKCAST | op::INSTANCEOF => 0,
            _ => return Err(Error::refused(0, "this instruction takes no class")),
        };
        let index = pool.add_class(name)?;
        Ok(self.push_index(opcode, index, effect))
    }

    /// An array of primitive elements, numbered as the format does (4 boolean to 11 long).
    pub fn new_array(&mut self, element: u8) -> Result<&mut Self> {
        if !(4..=11).contains(&element) {
            return Err(Error::refused(0, "no such element type"));
        }
        self.push(op::NEWARRAY, 0);
        self.bytes.push(element);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_knows_what_stack_it_needs() {
        let mut pool = Pool::default();
        let mut code = Snippet::new();
        code.load(Kind::Reference, 0).load(Kind::Long, 300);
        code.invoke_virtual(&mut pool, b"A", b"f", b"(J)I").expect("room");
        assert_eq!((code.net(), code.peak()), (1, 3));
        code.plain(op::POP).expect("plain");
        assert_eq!((code.net(), code.peak()), (0, 3));
        let mut twice = Snippet::new();
        twice.plain(op::ACONST_NULL).expect("plain").append(&code);
        assert_eq!((twice.net(), twice.peak()), (1, 4));
        assert!(twice.falls_through());
        assert!(!twice.plain(op::ATHROW).expect("plain").falls_through());
    }

    #[test]
    fn constants_take_their_shortest_form() {
        let mut pool = Pool::default();
        let mut code = Snippet::new();
        for value in [-1, 5, 6, -129, 32768] {
            code.int(&mut pool, value).expect("room");
        }
        let expected = [op::ICONST_M1, op::ICONST_5, op::BIPUSH, 6, op::SIPUSH, 0xff, 0x7f, op::LDC, 1];
        assert_eq!(code.bytes(), expected);
    }

    #[test]
    fn an_opcode_with_operands_is_refused() {
        assert!(Snippet::new().plain(op::GOTO).is_err());
        assert!(Snippet::new().field_at(op::INVOKESTATIC, 1, b"I").is_err());
        assert!(Snippet::new().invoke_at(op::GETFIELD, 1, b"()V").is_err());
    }
}
