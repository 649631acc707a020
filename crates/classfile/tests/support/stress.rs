//! A weave that changes as much as it can: a call before every instruction, after every `monitorenter`, on entry, before
//! every return, a handler around the body, and a long that lives in the whole method.

use classfile::{
    Assembler, Border, Catch, Class, Edit, Kind, Order, Range, Result, Snippet, Value, flags, op,
};

/// What to insert.
#[derive(Clone, Copy)]
pub struct Plan {
    /// The class with the method `hit()V` that is called; without it, code that calls nothing is inserted.
    pub probe: Option<&'static str>,
    /// Also insert more than 32 KiB before the middle instruction of methods that have a branch and room for it.
    pub stretch: bool,
    /// Let the handler of a synchronized block cover the call after its `monitorenter`, as is right.
    pub cover: bool,
}

#[derive(Default, Debug)]
pub struct Count {
    pub classes: usize,
    pub methods: usize,
    pub stretched: usize,
    pub handlers: usize,
    /// Classes left as they were because of a limit of the format.
    pub too_large: usize,
    pub bytes: usize,
}

/// The class that is called.
pub fn probe_class(name: &str) -> Vec<u8> {
    let mut class =
        Class::new(52, flags::PUBLIC | flags::SUPER, name.as_bytes(), b"java/lang/Object").expect("room");
    let mut method = Assembler::new();
    let mut code = Snippet::new();
    code.plain(op::RETURN).expect("plain");
    method.add(&code);
    method.finish(&mut class, flags::PUBLIC | flags::STATIC, b"hit", b"()V").expect("a method");
    class.write().expect("bytes")
}

/// Weaves a class; `None` if it would pass a limit.
pub fn weave(bytes: &[u8], plan: Plan, count: &mut Count) -> Result<Option<Vec<u8>>> {
    let mut class = Class::parse(bytes)?;
    count.bytes += bytes.len();
    let mut hit = Snippet::new();
    let limit = |error: classfile::Error| if error.reason.is_limit() { Ok(None) } else { Err(error) };
    let made = match plan.probe {
        Some(probe) => hit.invoke_static(&mut class.pool, probe.as_bytes(), b"hit", b"()V").map(|_| ()),
        None => hit.int(&mut class.pool, 1_000_000).and_then(|code| code.plain(op::POP)).map(|_| ()),
    };
    if let Err(error) = made {
        return limit(error);
    }
    for method in 0..class.methods.len() {
        match weave_method(&mut class, method, &hit, plan, count) {
            Ok(()) => {}
            Err(error) if error.reason.is_limit() => {
                count.too_large += 1;
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
    }
    count.classes += 1;
    class.write().map(Some)
}

fn weave_method<'a>(
    class: &mut Class<'a>,
    method: usize,
    hit: &Snippet,
    plan: Plan,
    count: &mut Count,
) -> Result<()> {
    let Some(mut edit) = Edit::new(class, method)? else { return Ok(()) };
    count.methods += 1;
    let local = edit.method_local(Value::Long)?;
    let mut entry = Snippet::new();
    entry.long(&mut class.pool, 77)?.store(Kind::Long, local).append(hit);
    edit.entry(&entry);
    let steps = edit.code().opcodes();
    let (mut number, mut branches, mut middle) = (0, 0, 0);
    let end = edit.code().bytes.len() as u32;
    for step in steps {
        let (pc, opcode) = step?;
        edit.before(pc, hit);
        if opcode == op::MONITORENTER {
            edit.after(pc, hit);
            if plan.cover {
                edit.cover_after(pc);
            }
        }
        if op::is_short_branch(opcode) {
            branches += 1;
        }
        if pc <= end / 2 {
            middle = pc;
        }
        number += 1;
    }
    edit.before_returns(hit)?;
    if let Some(start) = edit.initialised_from(class)? {
        let mut body = Snippet::new();
        body.load(Kind::Long, local).plain(op::POP2)?.append(hit).plain(op::ATHROW)?;
        edit.handler(Range { start, end, border: Border::Around }, Catch::Any, Order::Outer, &body)?;
        count.handlers += 1;
    }
    if plan.stretch && branches > 0 && end + number * 5 < 30_000 {
        let mut nops = Snippet::new();
        for _ in 0..32_800 {
            nops.plain(op::NOP)?;
        }
        edit.before(middle, &nops);
        count.stretched += 1;
    }
    edit.apply(class)?;
    Ok(())
}
