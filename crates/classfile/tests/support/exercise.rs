//! Does to a class whatever can be done to one. Any bytes must give a result or an error; what holds of results is
//! asserted here. Used by the tests on broken classes and by the fuzz target.

use classfile::{
    Border, Catch, Class, Edit, Flow, Instruction, Kind, Order, Range, Result, Snippet, Value, op, text,
};

/// Reads everything that can be read. Errors are fine.
fn read(class: &Class<'_>) {
    let _ = (class.name(), class.super_name(), class.source_file(), class.signature(&class.attributes));
    let _ = (class.inner_classes(), class.bootstrap_methods(), class.record_components(), class.nest_host());
    let _ = (class.nest_members(), class.permitted_subclasses(), class.enclosing_method());
    let _ = class.annotations(&class.attributes);
    for (index, constant) in class.pool.iter() {
        let _ =
            (class.pool.member_ref(index), class.pool.dynamic_ref(index), class.pool.method_handle(index));
        if let classfile::Constant::Utf8(raw) = constant {
            let _ = text::to_str(raw);
            let _ = classfile::MethodType::parse(raw);
        }
    }
    for member in class.fields.iter().chain(&class.methods) {
        let _ = (class.annotations(&member.attributes), class.parameter_annotations(&member.attributes));
        let _ = (class.constant_value(member), class.exceptions(member));
        let _ = class.has_annotation(&member.attributes, b"Deprecated");
    }
}

/// Walks the types of a method; says how many instructions there are.
fn walk(class: &Class<'_>, method: usize) -> Result<usize> {
    let mut count = 0;
    if let Some(mut flow) = Flow::new(class, &class.methods[method])? {
        while flow.next()?.is_some() {
            count += 1;
        }
    }
    Ok(count)
}

/// An edit that uses every way to insert.
fn edit<'a>(class: &mut Class<'a>, method: usize) -> Result<bool> {
    let Some(mut edit) = Edit::new(class, method)? else { return Ok(false) };
    let mut code = Snippet::new();
    code.int(&mut class.pool, 40_000)?.plain(op::POP)?;
    let local = edit.method_local(Value::Long)?;
    let other = edit.new_local(Kind::Reference)?;
    let mut entry = Snippet::new();
    entry.long(&mut class.pool, 9)?.store(Kind::Long, local);
    edit.entry(&entry);
    let end = edit.code().bytes.len() as u32;
    for step in edit.code().instructions() {
        let (pc, instruction) = step?;
        match instruction {
            Instruction::Plain(op::IADD) => {
                let mut again = Snippet::new();
                edit.replace(pc, again.plain(op::IADD)?);
            }
            Instruction::Plain(op::MONITORENTER) => {
                edit.after(pc, &code);
                edit.cover_after(pc);
            }
            Instruction::Plain(op::MONITOREXIT) => {
                edit.after(pc, &code);
                edit.uncover_after(pc);
            }
            Instruction::Invoke { .. } => {
                let mut pair = Snippet::new();
                pair.plain(op::ACONST_NULL)?.store(Kind::Reference, other);
                edit.before(pc, &pair);
                edit.after(pc, &code);
            }
            Instruction::Branch { .. } => edit.before_fall(pc, &code),
            _ => edit.before(pc, &code),
        }
    }
    edit.before_returns(&code)?;
    if let Some(start) = edit.initialised_from(class)? {
        let mut body = Snippet::new();
        body.load(Kind::Long, local).plains(&[op::POP2, op::ATHROW])?;
        for (border, order) in [(Border::Inside, Order::Inner), (Border::Around, Order::Outer)] {
            let range = Range { start, end, border };
            let _ = edit.keeps_parameter(class, range, 0);
            edit.handler(range, Catch::Any, order, &body)?;
        }
    }
    edit.apply(class)
}

/// All of it. Returns whether the class was read and how many methods were edited.
pub fn exercise(bytes: &[u8]) -> (bool, usize) {
    let Ok(mut class) = Class::parse(bytes) else { return (false, 0) };
    assert!(class.write().is_ok_and(|written| written == bytes), "written as it was read");
    read(&class);
    let before: Vec<Result<usize>> = (0..class.methods.len()).map(|method| walk(&class, method)).collect();
    let mut edited = Vec::new();
    for method in 0..class.methods.len() {
        if let Ok(Some(code)) = class.code(&class.methods[method]) {
            let _ = (code.line_of(&class.pool, 3), code.local_variables(&class.pool).count());
        }
        match edit(&mut class, method) {
            Ok(true) => edited.push(method),
            Ok(false) => {}
            Err(error) if error.reason.is_limit() => {}
            Err(_) => {}
        }
    }
    if class.methods.len() > usize::from(u16::MAX) {
        return (true, 0);
    }
    let Ok(woven) = class.write() else { return (true, edited.len()) };
    let again = Class::parse(&woven).expect("what was written can be read");
    for method in &edited {
        let code = again.code(&again.methods[*method]).expect("readable").expect("code");
        assert!(code.instructions().all(|step| step.is_ok()), "new code can be decoded");
        for handler in code.handlers() {
            assert!(handler.start < handler.end, "a range holds something");
        }
        // Types that were known stay known.
        if before[*method].is_ok() {
            walk(&again, *method).expect("the types of new code can be found");
        }
    }
    (true, edited.len())
}
