//! Fields that are accessed by handles: `VarHandle`s, field updaters, method handles on fields. No instruction names the
//! field where that happens, so that any thread may do it. A handle concerns the field that it is made for, as far as
//! constants say which; with a name alone, every field of that name; with a class alone, every field of the class.
//! Where not even that is known it may be any field.

use rustc_hash::FxHashSet;

use crate::ir::{Body, Op, Reg};
use crate::{ClassId, FieldId, MethodId, Origin, Program};

/// Calls that make a handle on a field: class, the method's name, and which arguments (the receiver among
/// them) are the field's class and its name.
const ON_A_FIELD: &[(&str, &str, usize, Name)] = &[
    ("java/lang/invoke/MethodHandles$Lookup", "findVarHandle", 1, Name::At(2)),
    ("java/lang/invoke/MethodHandles$Lookup", "findStaticVarHandle", 1, Name::At(2)),
    ("java/lang/invoke/MethodHandles$Lookup", "findGetter", 1, Name::At(2)),
    ("java/lang/invoke/MethodHandles$Lookup", "findSetter", 1, Name::At(2)),
    ("java/lang/invoke/MethodHandles$Lookup", "findStaticGetter", 1, Name::At(2)),
    ("java/lang/invoke/MethodHandles$Lookup", "findStaticSetter", 1, Name::At(2)),
    ("java/util/concurrent/atomic/AtomicIntegerFieldUpdater", "newUpdater", 0, Name::Last),
    ("java/util/concurrent/atomic/AtomicLongFieldUpdater", "newUpdater", 0, Name::Last),
    ("java/util/concurrent/atomic/AtomicReferenceFieldUpdater", "newUpdater", 0, Name::Last),
];

/// Which argument is the name.
#[derive(Clone, Copy)]
enum Name {
    At(usize),
    Last,
}

/// Calls by which any field may be accessed: class, and how the method's name starts.
const ON_ANYTHING: &[(&str, &str)] = &[
    ("java/lang/invoke/MethodHandles$Lookup", "find"),
    ("java/lang/invoke/MethodHandles$Lookup", "unreflect"),
    ("java/lang/invoke/ConstantBootstraps", "fieldVarHandle"),
    ("java/lang/invoke/ConstantBootstraps", "staticFieldVarHandle"),
    ("jdk/internal/misc/Unsafe", ""),
    ("sun/misc/Unsafe", ""),
];

fn is_on_anything(class: &str, name: &str) -> bool {
    ON_ANYTHING.iter().any(|(known, start)| *known == class && name.starts_with(start))
}

/// What handles are made for.
#[derive(Default)]
pub struct Handles {
    /// These fields.
    pub fields: FxHashSet<FieldId>,
    /// Any field.
    pub anything: bool,
}

impl Handles {
    /// Looks at all code of the inputs, also at what nobody saw being called.
    pub fn new(program: &Program) -> Handles {
        let mut handles = Handles::default();
        for (_, class) in program.classes().filter(|(_, class)| class.origin == Origin::Input) {
            let table = &class.code.table;
            let mut made = table.sites.iter().map(|site| table.names(site.bootstrap.member));
            handles.anything |= made.any(|(class, name, _)| is_on_anything(class, name));
            for method in class.methods() {
                handles.look(program, method);
            }
        }
        handles
    }

    fn look(&mut self, program: &Program, method: MethodId) {
        let Some(body) = program.body(method) else { return };
        let owner = program.method(method).owner;
        let table = &program.class(owner).code.table;
        for inst in &body.insts {
            let Op::Call { method, arguments, .. } = inst.op else { continue };
            let Some((class, name, _)) = table.method(method).map(|member| table.names(member)) else {
                continue;
            };
            if let Some((_, _, of, called)) =
                ON_A_FIELD.iter().find(|(known, start, ..)| *known == class && *start == name)
            {
                let arguments = body.list(arguments);
                let called = match called {
                    Name::At(place) => arguments.get(*place),
                    Name::Last => arguments.last(),
                };
                let called = called.and_then(|reg| text(body, *reg)).map(|text| table.text(text));
                let of = arguments.get(*of).and_then(|reg| literal(body, *reg));
                self.add(program, of.and_then(|class| program.class_of(owner, class)), called);
            } else if is_on_anything(class, name) {
                self.anything = true;
            }
        }
    }

    fn add(&mut self, program: &Program, class: Option<ClassId>, name: Option<&str>) {
        let fits = |field: &FieldId| name.is_none_or(|name| &*program.field(*field).name == name);
        match (class, name) {
            (None, None) => self.anything = true,
            (Some(class), _) => {
                for above in program.class(class).above() {
                    self.fields.extend(program.class(*above).fields().filter(fits));
                }
            }
            (None, Some(_)) => {
                let all = program.classes().flat_map(|(_, class)| class.fields());
                self.fields.extend(all.filter(fits));
            }
        }
    }
}

/// The instruction that sets a register; a cast gives what it got.
fn definition(body: &Body, reg: Reg) -> Option<Op> {
    let found = body.insts.iter().find(|inst| inst.result == reg && reg.is_some())?.op;
    match found {
        Op::Cast { value, .. } => body.insts.iter().find(|inst| inst.result == value).map(|inst| inst.op),
        found => Some(found),
    }
}

fn text(body: &Body, reg: Reg) -> Option<crate::ir::TextId> {
    match definition(body, reg)? {
        Op::Text(text) => Some(text),
        _ => None,
    }
}

fn literal(body: &Body, reg: Reg) -> Option<crate::ir::ClassRef> {
    match definition(body, reg)? {
        Op::Class(class) => Some(class),
        _ => None,
    }
}
