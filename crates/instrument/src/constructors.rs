//! Whether a class's constructors keep `this` to themselves. If they do, nobody can see a final field of the object before
//! its constructor has ended, and nothing need be told of final fields at all.
//!
//! Knows types, not values: what may be `this` by its type counts as `this`, so the answer errs towards no. What a
//! constructor of the superclass does is only known for the JDK's.

use classfile::{Class, ClassRef, Flow, Instruction, Kind, Member, MethodType, Result, Value, op};

/// Do constructors keep `this` to themselves?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeping {
    No,
    /// If those of the superclass do.
    IfAbove,
    Yes,
}

/// Do all constructors keep `this` to themselves?
pub(crate) fn keep_this(class: &Class<'_>) -> Keeping {
    let constructors = class
        .methods
        .iter()
        .filter(|method| class.pool.utf8(method.name).is_ok_and(|name| name == b"<init>"));
    constructors.map(|method| keeps_this(class, method).unwrap_or(Keeping::No)).min().unwrap_or(Keeping::Yes)
}

/// Do all constructors leave the fields of `this` that hold references as they were? Any put of a reference counts.
pub(crate) fn leave_references(class: &Class<'_>) -> Result<bool> {
    for method in &class.methods {
        if class.pool.utf8(method.name)? != b"<init>" {
            continue;
        }
        let Some(code) = class.code(method)? else { continue };
        for step in code.instructions() {
            if let Instruction::Field { opcode: op::PUTFIELD, member } = step?.1
                && matches!(class.pool.descriptor_of(member)?.first(), Some(b'L' | b'['))
            {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Packages of the JDK whose constructors hand `this` to nobody who would let another thread see it.
fn is_harmless(above: &[u8]) -> bool {
    let packages: [&[u8]; 9] = [
        b"java/lang/",
        b"java/util/",
        b"java/io/",
        b"java/net/",
        b"java/nio/",
        b"java/math/",
        b"java/text/",
        b"java/time/",
        b"java/security/",
    ];
    packages.iter().any(|package| above.starts_with(package))
}

struct Walk<'c> {
    class: &'c Class<'c>,
    /// The type of `this`.
    this: Value,
    /// Where a branch goes with `this` on the stack, and at which place of it.
    carried: Vec<(u32, usize)>,
    /// Is a constructor of the superclass called of which nothing is known?
    above: bool,
}

fn keeps_this(class: &Class<'_>, method: &Member<'_>) -> Result<Keeping> {
    let Some(mut flow) = Flow::new(class, method)? else { return Ok(Keeping::No) };
    let this = Value::Object(ClassRef::constant(class.this_class));
    let mut walk = Walk { class, this, carried: Vec::new(), above: false };
    let mut before: Option<Instruction<'_>> = None;
    while let Some(step) = flow.next()? {
        let Some(state) = step.state else {
            before = None;
            continue;
        };
        let stack = state.stack();
        // Where paths meet, `this` may have become an object of no particular type: then it is lost from sight.
        if before.is_some_and(loads_this) && !stack.last().is_some_and(|top| walk.may_be_this(*top)) {
            return Ok(Keeping::No);
        }
        let lost = |(to, at): &(u32, usize)| {
            *to == step.pc && !stack.get(*at).is_some_and(|value| walk.may_be_this(*value))
        };
        if walk.carried.iter().any(lost) {
            return Ok(Keeping::No);
        }
        let certain = before.is_some_and(pushes_another);
        if !walk.step(step.pc, &step.instruction, stack, certain)? {
            return Ok(Keeping::No);
        }
        before = Some(step.instruction);
    }
    Ok(if walk.above { Keeping::IfAbove } else { Keeping::Yes })
}

fn loads_this(instruction: Instruction<'_>) -> bool {
    matches!(instruction, Instruction::Load { kind: Kind::Reference, local: 0 })
}

/// Does the instruction leave something on top of the stack that is not `this`? No local but the first ever holds it.
fn pushes_another(instruction: Instruction<'_>) -> bool {
    match instruction {
        Instruction::Load { local, .. } => local != 0,
        Instruction::Field { opcode, .. } => matches!(opcode, op::GETFIELD | op::GETSTATIC),
        Instruction::Int(_) | Instruction::Constant(_) | Instruction::New(_) => true,
        Instruction::Plain(op::ACONST_NULL | op::AALOAD) => true,
        _ => false,
    }
}

impl Walk<'_> {
    fn may_be_this(&self, value: Value) -> bool {
        value == self.this || matches!(value, Value::UninitializedThis | Value::SomeObject)
    }

    /// Does the instruction keep `this`? `certain`: what is on top of the stack is not `this`.
    fn step(
        &mut self,
        pc: u32,
        instruction: &Instruction<'_>,
        stack: &[Value],
        certain: bool,
    ) -> Result<bool> {
        let is_this = |below: usize| {
            let value = stack.len().checked_sub(below + 1).and_then(|at| stack.get(at));
            !(certain && below == 0) && value.is_some_and(|value| self.may_be_this(*value))
        };
        Ok(match *instruction {
            Instruction::Store { kind: Kind::Reference, .. }
            | Instruction::Field { opcode: op::PUTFIELD | op::PUTSTATIC, .. }
            | Instruction::Plain(op::AASTORE | op::ARETURN | op::ATHROW)
            | Instruction::CheckCast(_) => !is_this(0),
            Instruction::Invoke { opcode, member } => {
                let Some(types) = MethodType::parse(self.class.pool.descriptor_of(member)?) else {
                    return Ok(false);
                };
                let count = types.parameters().count();
                if (0..count).any(is_this) {
                    return Ok(false);
                }
                if matches!(opcode, op::INVOKESTATIC | op::INVOKEDYNAMIC) || !is_this(count) {
                    return Ok(true);
                }
                let called = self.class.pool.member_ref(member)?;
                let own = called.owner == self.class.name()?;
                self.above |= !own && !is_harmless(called.owner);
                opcode == op::INVOKESPECIAL && called.name == b"<init>"
            }
            Instruction::Branch { opcode, target } => {
                let popped = match opcode {
                    op::GOTO | op::JSR => 0,
                    op::IF_ICMPEQ..=op::IF_ACMPNE => 2,
                    _ => 1,
                };
                self.carry(pc, target, stack.get(..stack.len().saturating_sub(popped)).unwrap_or(&[]))
            }
            Instruction::Switch(switch) => {
                let below = stack.get(..stack.len().saturating_sub(1)).unwrap_or(&[]);
                switch.targets().all(|target| self.carry(pc, target, below))
            }
            _ => true,
        })
    }

    /// A branch takes the stack along. Backwards nobody takes `this` along.
    fn carry(&mut self, pc: u32, target: u32, stack: &[Value]) -> bool {
        for (at, value) in stack.iter().enumerate() {
            if self.may_be_this(*value) {
                if target <= pc {
                    return false;
                }
                self.carried.push((target, at));
            }
        }
        true
    }
}
