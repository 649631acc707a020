//! What javac makes of Java, as register code.

#[path = "../../classfile/tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use program::ir::{
    Body, CallKind, Caught, Class, HandleKind, Monitors, Op, Reg, Values, parse_class, print, verify,
};
use program::lower::lower;

/// The folder with the compiled classes.
fn compiled() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let folder = support::scratch(&format!("lowered-{}", support::once()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Lowered.java");
        support::compile("17", &folder, &[source]);
        folder
    })
}

/// The class of that name in `Lowered.java`.
fn class(name: &str) -> Class {
    let bytes = std::fs::read(compiled().join(format!("{name}.class"))).expect("the class just made");
    let class = lower(&bytes).expect("a class");
    assert_eq!(verify(&class), []);
    let text = print(&class);
    assert_eq!(print(&parse_class(&text).expect("its own text")), text);
    class
}

fn body<'c>(class: &'c Class, name: &str) -> &'c Body {
    class.method(name).and_then(|method| method.body()).unwrap_or_else(|| panic!("no body of {name}"))
}

fn count(body: &Body, wanted: impl Fn(&Op) -> bool) -> usize {
    body.insts.iter().filter(|inst| wanted(&inst.op)).count()
}

#[test]
fn synchronized_methods_enter_once_and_exit_on_every_way_out() {
    let class = class("Lowered");
    let both = body(&class, "both");
    assert_eq!(count(both, |op| matches!(op, Op::Enter { object: Reg(0) })), 1);
    // Two returns and the handler that the JVM implies.
    assert_eq!(count(both, |op| matches!(op, Op::Exit { object: Reg(0) })), 3);
    assert_eq!(count(both, |op| matches!(op, Op::Throw { .. })), 1);
    let monitors = Monitors::new(both, &Values::new(both, &class.table, |_| false));
    assert!(monitors.is_structured());
    for (id, block) in both.blocks() {
        let held = monitors.at(id).expect("known").len();
        let calls = both.insts(block).iter().any(|inst| matches!(inst.op, Op::Call { .. }));
        assert!(!calls || (held == 1 && both.catches(block).len() == 1));
    }
    let once = body(&class, "once");
    assert!(matches!(once.insts[0].op, Op::Class(_)) && matches!(once.insts[1].op, Op::Enter { .. }));
    // Nothing in it can throw: its own static field needs no initialisation.
    assert_eq!(count(once, |op| matches!(op, Op::Exit { .. })), 1);
}

#[test]
fn synchronized_blocks_are_left_by_exceptions_too() {
    let class = class("Lowered");
    let block = body(&class, "block");
    assert_eq!(count(block, |op| matches!(op, Op::Enter { .. })), 1);
    let monitors = Monitors::new(block, &Values::new(block, &class.table, |_| false));
    assert!(monitors.is_structured());
}

#[test]
fn loops_have_parameters_for_what_changes_and_for_nothing_else() {
    let class = class("Lowered");
    let body = body(&class, "loop");
    let params: Vec<u32> = body.blocks().skip(1).map(|(_, block)| block.params.count).collect();
    assert_eq!(params.iter().sum::<u32>(), 3, "{}", print(&class)); // sum and i at the head, sum after the if
    assert!(body.blocks().all(|(_, block)| body.catches(block).is_empty()));
}

#[test]
fn a_handler_is_given_the_values_of_the_place_that_threw() {
    let class = class("Lowered");
    let body = body(&class, "caught");
    let mut given = Vec::new();
    for (_, block) in body.blocks() {
        for edge in body.catches(block) {
            if let Caught::Class(name) = edge.caught {
                assert_eq!(class.table.class(name), "java/lang/NumberFormatException");
                let arguments = body.list(edge.arguments);
                assert_eq!(arguments[0], Reg::CAUGHT);
                given.push(arguments[1]);
            }
        }
    }
    // parseInt throws with result = 2, helper with what parseInt gave.
    assert_eq!(given.len(), 2);
    assert_ne!(given[0], given[1]);
    let two = body.insts.iter().find(|inst| inst.op == Op::Int(2)).expect("a two").result;
    assert_eq!(given[0], two);
}

#[test]
fn closures_name_the_method_that_they_run() {
    let class = class("Lowered");
    let table = &class.table;
    for (method, interface, kind, target, captured) in [
        ("closure", ("java/lang/Runnable", "run"), HandleKind::Special, "lambda$closure$0", 2),
        ("reference", ("java/util/function/Function", "apply"), HandleKind::Static, "valueOf", 0),
        ("made", ("java/util/function/Supplier", "get"), HandleKind::New, "<init>", 0),
        ("bound", ("java/util/concurrent/Callable", "call"), HandleKind::Virtual, "length", 1),
    ] {
        let body = body(&class, method);
        let found = body.insts.iter().find_map(|inst| match inst.op {
            Op::Closure { closure, captured } => Some((table.closures[closure.index()], captured.count)),
            _ => None,
        });
        let (closure, count) = found.unwrap_or_else(|| panic!("no closure in {method}"));
        let (owner, name, _) = table.names(closure.method);
        assert_eq!((owner, name), interface);
        let virtual_lambda = kind == HandleKind::Special && closure.body.kind == HandleKind::Virtual;
        assert!(closure.body.kind == kind || virtual_lambda, "{method}: {:?}", closure.body.kind);
        assert_eq!((table.text(closure.body.member.name), count), (target, captured));
    }
}

#[test]
fn idioms_of_the_compiler_are_plain_code() {
    let class = class("Lowered");
    let concat = body(&class, "concat");
    let recipe = concat.insts.iter().find_map(|inst| match inst.op {
        Op::Concat { recipe, values } => Some((class.table.text(recipe), values.count)),
        _ => None,
    });
    assert_eq!(recipe, Some(("\u{1} and \u{1}", 2)));
    let strings = body(&class, "strings");
    assert_eq!(count(strings, |op| matches!(op, Op::Switch { .. })), 2);
    assert_eq!(count(strings, |op| matches!(op, Op::Call { kind: CallKind::Virtual, .. })), 3);
    let enums = body(&class, "enums");
    assert_eq!(count(enums, |op| matches!(op, Op::GetStatic { .. } | Op::Load { .. })), 2);
    let wide = body(&class, "wide");
    assert_eq!(count(wide, |op| matches!(op, Op::Store { .. })), 4);
}

#[test]
fn a_record_reads_its_fields_in_one_dynamic_site() {
    let class = class("Lowered$Point");
    let hash = body(&class, "hashCode");
    let site = hash.insts.iter().find_map(|inst| match inst.op {
        Op::Dynamic { site, .. } => Some(&class.table.sites[site.index()]),
        _ => None,
    });
    let site = site.expect("a dynamic site");
    assert_eq!(class.table.text(site.name), "hashCode");
    assert_eq!(site.arguments.len(), 4);
}

#[test]
fn instructions_know_their_lines() {
    let class = class("Lowered");
    let source =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/Lowered.java"));
    let source = source.expect("the source");
    let line = source.lines().position(|line| line.contains("total++")).expect("the line") + 1;
    let put = body(&class, "once").insts.iter().find(|inst| matches!(inst.op, Op::PutStatic { .. }));
    assert_eq!(put.map(|inst| usize::from(inst.line)), Some(line));
    assert_eq!(class.source.map(|name| class.table.text(name)), Some("Lowered.java"));
}
