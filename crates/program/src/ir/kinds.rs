//! Which kind of value an operation gives and takes, by the descriptors it names. Classes are not told apart.

use classfile::{MethodType, Type};

use super::words::{Binary, HandleKind, Kind};
use super::{Body, Member, Op, Reg, Table};

impl Kind {
    /// The kind of values of a type.
    pub fn of(of: Type<'_>) -> Kind {
        match of {
            Type::Boolean | Type::Byte | Type::Char | Type::Short | Type::Int => Kind::Int,
            Type::Long => Kind::Long,
            Type::Float => Kind::Float,
            Type::Double => Kind::Double,
            Type::Object(_) | Type::Array(_) => Kind::Ref,
        }
    }
}

/// The kind of values of a field's descriptor.
pub fn kind_of(descriptor: &str) -> Option<Kind> {
    Type::parse(descriptor.as_bytes()).map(Kind::of)
}

fn of_field(table: &Table, member: Option<Member>) -> Option<Kind> {
    kind_of(table.text(member?.descriptor))
}

/// What a dynamic call site or constant takes and gives.
fn of_site(descriptor: &str) -> (Vec<Kind>, Option<Kind>) {
    match MethodType::parse(descriptor.as_bytes()) {
        Some(types) => (types.parameters().map(Kind::of).collect(), types.result().map(Kind::of)),
        None => (Vec::new(), kind_of(descriptor)),
    }
}

/// The kind of value an operation gives, if it gives one.
pub fn result_kind(table: &Table, op: &Op) -> Option<Kind> {
    match op {
        Op::Int(_) | Op::Length { .. } | Op::InstanceOf { .. } => Some(Kind::Int),
        Op::Binary { op: Binary::CompareLow | Binary::CompareHigh, .. } => Some(Kind::Int),
        Op::Long(_) => Some(Kind::Long),
        Op::Float(_) => Some(Kind::Float),
        Op::Double(_) => Some(Kind::Double),
        Op::Null
        | Op::Text(_)
        | Op::Class(_)
        | Op::Handle(_)
        | Op::MethodType(_)
        | Op::New(_)
        | Op::NewArray { .. }
        | Op::NewArrays { .. }
        | Op::Closure { .. }
        | Op::Concat { .. }
        | Op::Cast { .. } => Some(Kind::Ref),
        Op::Binary { kind, .. } | Op::Negate { kind, .. } => Some(*kind),
        Op::Convert { op, .. } => Some(op.kinds().1),
        Op::Get { field, .. } | Op::GetStatic { field } => of_field(table, table.field(*field)),
        Op::Load { element, .. } => Some(element.kind()),
        Op::Call { method, .. } => {
            let descriptor = table.text(table.method(*method)?.descriptor);
            MethodType::parse(descriptor.as_bytes())?.result().map(Kind::of)
        }
        Op::Dynamic { site, .. } => of_site(table.text(table.sites.get(site.index())?.descriptor)).1,
        Op::Put { .. }
        | Op::PutStatic { .. }
        | Op::Store { .. }
        | Op::Enter { .. }
        | Op::Exit { .. }
        | Op::Return { .. }
        | Op::Throw { .. }
        | Op::Jump
        | Op::Branch { .. }
        | Op::Switch { .. } => None,
    }
}

/// The kinds of a method's parameters.
pub(super) fn parameter_kinds(descriptor: &str) -> Option<Vec<Kind>> {
    Some(MethodType::parse(descriptor.as_bytes())?.parameters().map(Kind::of).collect())
}

/// What the listed operands of an operation must be; `None` if its descriptors cannot be read.
pub(super) fn list_kinds(table: &Table, op: &Op) -> Option<Vec<Kind>> {
    Some(match op {
        Op::NewArrays { lengths, .. } => vec![Kind::Int; lengths.count as usize],
        Op::Call { kind, method, .. } => {
            let mut kinds = parameter_kinds(table.text(table.method(*method)?.descriptor))?;
            if *kind != super::CallKind::Static {
                kinds.insert(0, Kind::Ref);
            }
            kinds
        }
        Op::Closure { closure, captured } => {
            // Captured values come first among what the body takes; its receiver is one of them, or its first argument.
            let body = table.closures.get(closure.index())?.body;
            let mut kinds = parameter_kinds(table.text(body.member.descriptor))?;
            if !matches!(body.kind, HandleKind::Static | HandleKind::New) {
                kinds.insert(0, Kind::Ref);
            }
            if (captured.count as usize) > kinds.len() {
                return None;
            }
            kinds.truncate(captured.count as usize);
            kinds
        }
        Op::Dynamic { site, .. } => of_site(table.text(table.sites.get(site.index())?.descriptor)).0,
        _ => Vec::new(),
    })
}

/// What the operands outside of lists must be: pairs of register and kind.
pub(super) fn operand_kinds(table: &Table, body: &Body, op: &Op) -> Option<Vec<(Reg, Kind)>> {
    Some(match *op {
        Op::Binary { op, kind, left, right } => {
            let distance = matches!(op, Binary::Shl | Binary::Shr | Binary::Ushr);
            vec![(left, kind), (right, if distance { Kind::Int } else { kind })]
        }
        Op::Negate { kind, value } => vec![(value, kind)],
        Op::Convert { op, value } => vec![(value, op.kinds().0)],
        Op::Get { object, .. } | Op::Enter { object } | Op::Exit { object } => vec![(object, Kind::Ref)],
        Op::Put { field, object, value } => {
            vec![(object, Kind::Ref), (value, of_field(table, table.field(field))?)]
        }
        Op::PutStatic { field, value } => vec![(value, of_field(table, table.field(field))?)],
        Op::Load { array, index, .. } => vec![(array, Kind::Ref), (index, Kind::Int)],
        Op::Store { element, array, index, value } => {
            vec![(array, Kind::Ref), (index, Kind::Int), (value, element.kind())]
        }
        Op::Length { array } => vec![(array, Kind::Ref)],
        Op::NewArray { length, .. } => vec![(length, Kind::Int)],
        Op::InstanceOf { value, .. } | Op::Cast { value, .. } | Op::Throw { value } => {
            vec![(value, Kind::Ref)]
        }
        Op::Branch { left, right: Reg::NONE, .. } if body.kind(left) == Kind::Ref => Vec::new(),
        Op::Branch { left, right, .. } if body.kind(left) == Kind::Ref => vec![(right, Kind::Ref)],
        Op::Branch { left, right: Reg::NONE, .. } => vec![(left, Kind::Int)],
        Op::Branch { left, right, .. } => vec![(left, Kind::Int), (right, Kind::Int)],
        Op::Switch { value, .. } => vec![(value, Kind::Int)],
        _ => Vec::new(),
    })
}
