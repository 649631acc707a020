//! Every class of the JDKs at hand: written as it was read, every instruction decoded, every type found. By default a
//! sample that is the same every time; `RADDLE_WHOLE_CORPUS=1` takes all.

mod support;

use classfile::{Class, Flow, State, Value, text};

/// Reads everything that can be read in a class. Returns how many instructions there were, and how many are never
/// reached.
fn read_all(bytes: &[u8]) -> classfile::Result<(usize, usize)> {
    let class = Class::parse(bytes)?;
    class.source_file()?;
    class.inner_classes()?;
    class.bootstrap_methods()?;
    class.record_components()?;
    class.nest_members()?;
    class.nest_host()?;
    class.permitted_subclasses()?;
    class.enclosing_method()?;
    class.signature(&class.attributes)?;
    class.annotations(&class.attributes)?;
    for (_, constant) in class.pool.iter() {
        if let classfile::Constant::Utf8(raw) = constant {
            assert!(text::decode_units(raw).is_ok(), "{}", text::to_str(raw));
        }
    }
    for member in class.fields.iter().chain(&class.methods) {
        class.annotations(&member.attributes)?;
        class.parameter_annotations(&member.attributes)?;
        class.signature(&member.attributes)?;
        class.constant_value(member)?;
        class.exceptions(member)?;
    }
    let (mut instructions, mut unreached) = (0, 0);
    for method in &class.methods {
        let Some(code) = class.code(method)? else { continue };
        let lines = code.lines(&class.pool).count();
        assert_eq!(lines > 0, code.line_of(&class.pool, u32::MAX).is_some());
        let decoded = code.instructions().collect::<classfile::Result<Vec<_>>>()?.len();
        let mut walked = 0;
        let mut flow = Flow::new(&class, method)?.expect("there is code");
        while let Some(step) = flow.next()? {
            walked += 1;
            unreached += usize::from(step.state.is_none());
        }
        assert_eq!(decoded, walked);
        instructions += decoded;
    }
    Ok((instructions, unreached))
}

fn check(name: &str, classes: &[support::Named]) {
    let (mut bytes, mut instructions, mut unreached) = (0, 0, 0);
    for class in classes {
        let parsed = Class::parse(&class.bytes).unwrap_or_else(|error| panic!("{}: {error}", class.name));
        assert!(parsed.is_tested_version(), "{} has version {}", class.name, parsed.major);
        assert!(parsed.write().expect("it fits") == class.bytes, "{} is not as it was", class.name);
        match read_all(&class.bytes) {
            Ok((some, never)) => {
                instructions += some;
                unreached += never;
            }
            Err(error) => panic!("{}: {error}", class.name),
        }
        bytes += class.bytes.len();
    }
    println!(
        "{name}: {} classes, {bytes} bytes, {instructions} instructions, {unreached} never reached",
        classes.len()
    );
    assert!(instructions > 10_000, "{name} was read");
    assert!(
        unreached < instructions / 1000,
        "{name}: {unreached} of {instructions} are said to be never reached"
    );
}

#[test]
fn classes_of_the_jdk_are_written_as_they_were_read() {
    for runtime in support::runtimes() {
        let module = if support::whole() { "" } else { "java.base" };
        let all = support::jdk_classes(&runtime, module);
        assert!(all.len() > 5000, "the classes of {} were found", runtime.name);
        check(runtime.name, &support::sample(all, 8));
    }
}

#[test]
fn classes_of_libraries_are_written_as_they_were_read() {
    let jars = support::jars();
    if jars.is_empty() {
        return; // which has been said
    }
    let all = support::jar_classes(&jars);
    assert!(all.len() > 24_000, "{} classes of {jars:?}", all.len());
    check("libraries", &support::sample(all, 8));
}

/// Does what the fixpoint found fit what the frames say? They promise no more than is true, so the fixpoint may know more
/// of a value, and less only where it would need the class hierarchy.
fn fits(told: Value, found: Value) -> bool {
    match told {
        Value::Top | Value::Second => true,
        Value::Object(_) | Value::SomeObject | Value::Null => {
            matches!(found, Value::Object(_) | Value::SomeObject | Value::Null)
        }
        _ => told == found,
    }
}

fn states_fit(told: &State, found: &State) -> bool {
    let locals = told.locals().iter().zip(0..).all(|(value, slot)| fits(*value, found.local(slot)));
    let depth = told.stack().len() == found.stack().len();
    locals && depth && told.stack().iter().zip(found.stack()).all(|(told, found)| fits(*told, *found))
}

#[test]
fn the_fixpoint_finds_what_the_frames_say() {
    let all = support::jdk_classes(&support::installed(), "java.base");
    let (mut compared, mut constructing) = (0, 0);
    for named in support::sample(all, 9) {
        let class = Class::parse(&named.bytes).expect("a class");
        let mut old = class.clone();
        old.major = 49; // frames mean nothing to this version
        for (method, same) in class.methods.iter().zip(&old.methods) {
            let Some(mut told) = Flow::new(&class, method).expect("valid") else { continue };
            let mut found = Flow::new(&old, same).expect("valid").expect("there is code");
            while let Some(step) = told.next().expect("valid") {
                let other = found.next().expect("valid").expect("as many instructions");
                assert_eq!((step.pc, step.instruction), (other.pc, other.instruction));
                let (Some(told), Some(found)) = (step.state, other.state) else {
                    panic!("{}: pc {} is reached by one only", named.name, step.pc)
                };
                assert!(states_fit(told, found), "{}: pc {}: {told:?} {found:?}", named.name, step.pc);
                compared += 1;
                constructing += usize::from(told.local(0) == Value::UninitializedThis);
            }
        }
    }
    println!("{compared} states compared, {constructing} of them before super()");
    assert!(compared > 50_000 && constructing > 1_000);
}
