//! What is inserted where, as a listing that people can read: `golden/*.listing`. No JVM runs what is woven here.

mod support;

use std::fmt::Write;

use classfile::{Class, Constant, Instruction, Kind as Moves, Pool, op, text};
use events::FlowKind;
use events::models::Models;
use events::plan::{ClassFacts, FlowFacts};
use instrument::{Blocks, Gap, Options, Scope, World, hide_members, weave};
use support::{Nowhere, Table, java};

fn member(pool: &Pool<'_>, index: u16) -> String {
    match pool.get(index) {
        Ok(Constant::InvokeDynamic { .. }) => {
            let call = pool.dynamic_ref(index).expect("a dynamic call");
            format!("{} {}", text::to_str(call.name), text::to_str(call.descriptor))
        }
        _ => {
            let found = pool.member_ref(index).expect("a member");
            let [owner, name, of] = [found.owner, found.name, found.descriptor].map(text::to_str);
            format!("{owner}.{name} {of}")
        }
    }
}

fn constant(pool: &Pool<'_>, index: u16) -> String {
    match pool.get(index).expect("a constant") {
        Constant::String { text: string } => format!("{:?}", text::to_str(pool.utf8(string).expect("text"))),
        Constant::Class { name } => text::to_str(pool.utf8(name).expect("a name")).into_owned(),
        other => format!("{other:?}"),
    }
}

fn letter(kind: Moves) -> char {
    match kind {
        Moves::Int => 'i',
        Moves::Long => 'l',
        Moves::Float => 'f',
        Moves::Double => 'd',
        Moves::Reference => 'a',
    }
}

fn plain(opcode: u8) -> String {
    let name = match opcode {
        op::ACONST_NULL => "aconst_null",
        op::DUP => "dup",
        op::DUP2 => "dup2",
        op::DUP2_X1 => "dup2_x1",
        op::DUP_X2 => "dup_x2",
        op::POP => "pop",
        op::POP2 => "pop2",
        op::SWAP => "swap",
        op::I2L => "i2l",
        op::LCMP => "lcmp",
        op::LOR => "lor",
        op::LAND => "land",
        op::ATHROW => "athrow",
        op::RETURN => "return",
        op::MONITORENTER => "monitorenter",
        op::MONITOREXIT => "monitorexit",
        _ => return format!("op {opcode:#04x}"),
    };
    name.to_owned()
}

/// All methods, one instruction a line.
fn listing(bytes: &[u8]) -> String {
    let class = Class::parse(bytes).expect("a class");
    let mut out = format!("class {}\n", text::to_str(class.name().expect("a name")));
    for field in &class.fields {
        let (name, of) = class.member_name(field).expect("a field");
        writeln!(out, "field {:#06x} {} {}", field.access, text::to_str(name), text::to_str(of))
            .expect("text");
    }
    for method in &class.methods {
        let (name, of) = class.member_name(method).expect("a method");
        writeln!(out, "method {:#06x} {}{}", method.access, text::to_str(name), text::to_str(of))
            .expect("text");
        let Some(code) = class.code(method).expect("readable") else { continue };
        for step in code.instructions() {
            let (pc, instruction) = step.expect("an instruction");
            let shown = match instruction {
                Instruction::Plain(opcode) => plain(opcode),
                Instruction::Int(value) => format!("int {value}"),
                Instruction::Constant(index) => format!("constant {}", constant(&class.pool, index)),
                Instruction::Load { kind, local } => format!("{}load {local}", letter(kind)),
                Instruction::Store { kind, local } => format!("{}store {local}", letter(kind)),
                Instruction::Field { opcode, member: index } => {
                    let name = ["getstatic", "putstatic", "getfield", "putfield"];
                    format!("{} {}", name[usize::from(opcode - op::GETSTATIC)], member(&class.pool, index))
                }
                Instruction::Invoke { opcode, member: index } => {
                    let name = ["virtual", "special", "static", "interface", "dynamic"];
                    let name = name[usize::from(opcode - op::INVOKEVIRTUAL)];
                    format!("invoke{name} {}", member(&class.pool, index))
                }
                Instruction::Branch { target, .. } => format!("branch {target}"),
                other => format!("{other:?}"),
            };
            writeln!(out, "  {pc:4} {shown}").expect("text");
        }
        for handler in code.handlers() {
            writeln!(out, "  {}..{} caught at {}", handler.start, handler.end, handler.target).expect("text");
        }
    }
    out
}

fn woven(name: &str, class: &str, release: &str, models: &Models, options: &Options) -> (String, Table) {
    let label = format!("listing-{class}-{:?}", options.scope);
    let folder = support::compile(name, &label, release);
    let bytes = std::fs::read(folder.join(format!("{class}.class"))).expect("a class file");
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    let mut table = Table::default();
    let woven = weave(&bytes, &Nowhere, models, &mut table, options).expect("it can be woven");
    let again = weave(&bytes, &Nowhere, models, &mut Table::default(), options).expect("it can be woven");
    assert_eq!(woven, again, "weaving is deterministic");
    (listing(&woven.expect("something is woven")), table)
}

#[test]
fn probe_calls_stand_where_they_should() {
    let (text, table) = woven("Listing.java", "Listing", "17", &support::models(), &support::WHOLE);
    support::golden("Listing.listing", &text);
    let why = "its monitor is not seen: the method is native".to_owned();
    assert_eq!(table.gaps, [Gap { method: "Listing.far()V".to_owned(), why }]);
}

/// Knows what a plan says of the class.
struct Planned(ClassFacts);

impl World for Planned {
    fn is_woven(&self, _: &[u8]) -> bool {
        false
    }

    fn facts(&self) -> Option<&ClassFacts> {
        Some(&self.0)
    }
}

#[test]
fn watched_values_are_told_after_their_read_and_before_their_use() {
    let folder = support::compile("Listing.java", "listing-flows", "17");
    let bytes = std::fs::read(folder.join("Listing.class")).expect("a class file");
    let mut facts = ClassFacts::default();
    let flow = |kind, read, uses: &[u16]| FlowFacts { kind, read, uses: uses.to_vec() };
    let own = facts.method_mut(1, "own([I[D)D");
    own.told = vec![2, 10];
    own.flows = vec![flow(FlowKind::Back, 2, &[6, 14]), flow(FlowKind::Any, 10, &[14])];
    let foreign = facts.method_mut(2, "foreign(LOther;)V");
    foreign.told = vec![1];
    foreign.flows = vec![flow(FlowKind::Beside, 1, &[4])];
    // What is nowhere in the code is told nowhere.
    foreign.flows.push(flow(FlowKind::Back, 3, &[900]));
    let mut table = Table::default();
    let woven = weave(&bytes, &Planned(facts), &support::models(), &mut table, &support::WHOLE);
    let text = listing(&woven.expect("it can be woven").expect("something is woven"));
    let methods = text.split("method ").filter(|method| method.contains("Probe.flow"));
    let text: String = methods.map(|method| format!("method {method}")).collect();
    let sites = table.sites.iter().zip(1..).filter(|(site, _)| site.contains("Flow"));
    let sites: String = sites.map(|(site, number)| format!("site {number} {site}\n")).collect();
    support::golden("Flows.listing", &(text + &sites));
}

#[test]
fn classes_without_dynamic_calls_tell_other_classes_fields_after_reads() {
    let (text, _) = woven("Listing.java", "Listing", "8", &support::models(), &support::WHOLE);
    assert!(text.contains("invokedynamic"), "{text}");
    // What an old compiler would have written: the same code with an older version.
    let folder = support::compile("Listing.java", "listing-old", "8");
    let mut bytes = std::fs::read(folder.join("Listing.class")).expect("a class file");
    bytes[7] = 48;
    let woven = weave(&bytes, &Nowhere, &support::models(), &mut Table::default(), &support::WHOLE);
    let text = listing(&woven.expect("it can be woven").expect("something is woven"));
    assert!(
        !text.contains("invokedynamic") && text.contains("readAny") && text.contains("Class.forName"),
        "{text}"
    );
}

#[test]
fn body_and_inside_lines_are_woven_into_classes_of_the_jdk_without_members() {
    let all = java::jdk_classes(&java::installed(), "java.base");
    let only = Options { scope: Scope::ModelOnly, blocks: Blocks::Synch, finals: false, kept: false };
    let mut text = String::new();
    for name in ["java/lang/Thread", "java/util/concurrent/FutureTask", "java/util/TimerThread"] {
        let named = all.iter().find(|class| class.name == format!("java.base/{name}")).expect("the class");
        let mut table = Table::default();
        let woven = weave(&named.bytes, &Nowhere, &support::models(), &mut table, &only);
        let woven = woven.expect("it can be woven").expect("something is woven");
        let (old, new) =
            (Class::parse(&named.bytes).expect("a class"), Class::parse(&woven).expect("a class"));
        assert_eq!((old.fields.len(), old.methods.len()), (new.fields.len(), new.methods.len()));
        assert!(!listing(&woven).contains("$raddle$"));
        for site in &table.sites {
            // Lines of the JDK's sources change with every update.
            let (method, rest) = site.split_once(':').expect("a line");
            text += &format!("{method} {}\n", rest.split_once(' ').expect("a kind").1);
        }
    }
    support::golden("Jdk.sites", &text);
}

#[test]
fn reflection_asks_the_probe_before_it_answers() {
    let all = java::jdk_classes(&java::installed(), "java.base");
    let named = all.iter().find(|class| class.name == "java.base/jdk/internal/reflect/Reflection");
    let bytes = &named.expect("the class").bytes;
    let woven = hide_members(bytes).expect("its filters are there");
    let text = listing(&woven);
    for (name, element) in [("fields", "Field"), ("methods", "Method")] {
        let array = format!("[Ljava/lang/reflect/{element};");
        let call = format!("invokestatic raddle/rt/Probe.{name} (Ljava/lang/Class;{array}){array}");
        assert_eq!(text.matches(&call).count(), 2, "{text}");
    }
    assert!(hide_members(&all[0].bytes).is_err());
}

#[test]
fn a_class_that_is_not_to_be_woven_stays_as_it_was() {
    let all = java::jdk_classes(&java::installed(), "java.base");
    let info = all.iter().find(|class| class.name.ends_with("module-info")).expect("the module");
    let models = support::models();
    let left = weave(&info.bytes, &Nowhere, &models, &mut Table::default(), &support::WHOLE);
    assert_eq!(left, Ok(None));
    let leave = Options { scope: Scope::Leave, blocks: Blocks::Synch, finals: false, kept: false };
    assert_eq!(weave(&all[0].bytes, &Nowhere, &models, &mut Table::default(), &leave), Ok(None));
    assert!(weave(b"no class", &Nowhere, &models, &mut Table::default(), &support::WHOLE).is_err());
}

#[test]
fn a_woven_class_is_not_woven_again() {
    let folder = support::compile("Listing.java", "listing-twice", "17");
    let bytes = std::fs::read(folder.join("Other.class")).expect("a class file");
    let models = support::models();
    let once = weave(&bytes, &Nowhere, &models, &mut Table::default(), &support::WHOLE);
    let once = once.expect("it can be woven").expect("something is woven");
    let twice = weave(&once, &Nowhere, &models, &mut Table::default(), &support::WHOLE);
    assert!(twice.is_err_and(|failure| failure.why.contains("already")));
}

#[test]
fn changed_bytes_are_woven_or_refused_and_never_panic() {
    let folder = support::compile("Calls.java", "listing-changed", "17");
    let models = support::models();
    let (mut woven, mut refused) = (0, 0);
    for path in support::class_files(&folder) {
        let bytes = std::fs::read(&path).expect("a class file");
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..4000 {
            let mut changed = bytes.clone();
            for _ in 0..1 + next(4) {
                let at = next(changed.len());
                changed[at] = [next(256) as u8, 0, 0xff, changed[at] ^ 1][next(4)];
            }
            match weave(&changed, &Nowhere, &models, &mut Table::default(), &support::WHOLE) {
                Ok(_) => woven += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(woven > 1000 && refused > 1000, "{woven} woven, {refused} refused");
}
