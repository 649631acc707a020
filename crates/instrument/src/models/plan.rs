//! What is told around a call: the probe calls of all model lines that may hold there, those that carry the same put
//! together. One plan serves all calls of a method in a class.

use classfile::{MethodType, Type, op, text};
use events::models::{Action, Line, Models, Placement};

use super::expand::{Wanted, expand};
use crate::{EffectRef, Moment, settled};

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Null,
    /// The receiver of the call; `this` of a body.
    This,
    Arg(u8),
    Result,
    /// `this` of the method that holds the call.
    Outer,
    OuterArg(u8),
    /// The first argument if it is an object.
    Coordinate,
}

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Constant(i32),
    Arg(u8),
    OuterArg(u8),
    /// The result; of an object whether there is one.
    Result,
    Difference(u8, u8),
    /// The second argument if it is an int.
    Coordinate,
}

/// What a probe call carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `effect(receiver, target, value, site)`
    Effect { target: Source, value: Number },
    /// `effectRange(receiver, array, from, to, site)`; `plus`: `to` is counted from `from`.
    Range { array: Source, from: Number, to: Number, plus: bool },
    /// `effectHandle(receiver, other, base, index, value, site)`
    Handle { base: Source, other: Source, index: Number, value: Number },
}

impl Form {
    /// The objects it carries, the receiver not counted.
    pub fn sources(self) -> [Source; 2] {
        match self {
            Form::Effect { target, .. } => [target, Source::Null],
            Form::Range { array, .. } => [array, Source::Null],
            Form::Handle { base, other, .. } => [base, other],
        }
    }

    /// The numbers it carries.
    pub fn numbers(self) -> [Number; 2] {
        match self {
            Form::Effect { value, .. } => [value, Number::Constant(0)],
            Form::Range { from, to, .. } => [from, to],
            Form::Handle { index, value, .. } => [index, value],
        }
    }

    /// Does it carry the result, or whether there is one?
    pub fn has_result(self) -> bool {
        self.sources().contains(&Source::Result) || self.numbers().contains(&Number::Result)
    }

    /// The lowest argument that it carries.
    pub fn lowest_argument(self) -> Option<usize> {
        let objects = self.sources().into_iter().filter_map(|source| match source {
            Source::Arg(number) => Some(number),
            Source::Coordinate => Some(0),
            _ => None,
        });
        let numbers = self.numbers().into_iter().filter_map(|number| match number {
            Number::Arg(number) => Some(number),
            Number::Difference(a, b) => Some(a.min(b)),
            Number::Coordinate => Some(1),
            _ => None,
        });
        objects.chain(numbers).min().map(usize::from)
    }
}

/// A probe call around a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub moment: Moment,
    pub form: Form,
    pub effects: Vec<EffectRef>,
    /// What the channel is for.
    pub text: String,
    /// Is it a plain access?
    pub is_access: bool,
}

/// What decides whether a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    Certain,
    Virtual,
    Special,
}

/// What is told around a call.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub parts: Vec<Part>,
    pub chosen: Chosen,
    pub owner: Vec<u8>,
    pub name: Vec<u8>,
    pub descriptor: Vec<u8>,
    pub is_static: bool,
}

/// The text of the channel that an effect is about.
fn purpose(action: &Action) -> &str {
    match action {
        Action::Signal(channel) | Action::Observe(channel) => channel.purpose.as_deref().unwrap_or(""),
        _ => "",
    }
}

/// Collects the probe calls of lines.
#[derive(Default)]
pub(crate) struct Parts {
    pub parts: Vec<Part>,
    wanted: Vec<Wanted>,
}

impl Parts {
    /// Adds all effects of a line, as far as `types` (the call's or body's) can give what they carry.
    pub fn add(&mut self, models: &Models, number: u32, line: &Line, owner: &str, shape: Shape<'_>) {
        for (at, effect) in line.effects.iter().enumerate() {
            self.wanted.clear();
            expand(models, line, effect, owner, &mut self.wanted);
            for wanted in self.wanted.drain(..) {
                if !shape.fits(&wanted) {
                    continue;
                }
                let text = purpose(&effect.action);
                let one =
                    EffectRef { line: number, effect: at as u16, moment: wanted.moment, kind: wanted.kind };
                // Another line's effect that carries the same goes with it; two of one line keep their order.
                let same = self.parts.iter_mut().find(|part| {
                    part.moment == wanted.moment
                        && part.form == wanted.form
                        && part.is_access == wanted.is_access
                        && part.effects.iter().all(|other| other.line != number)
                });
                match same {
                    Some(part) => part.effects.push(one),
                    None => self.parts.push(Part {
                        moment: wanted.moment,
                        form: wanted.form,
                        effects: vec![one],
                        text: text.to_owned(),
                        is_access: wanted.is_access,
                    }),
                }
            }
        }
    }
}

/// What a call or a body can give: its types, and whether there is a `this` to speak of.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'d> {
    pub types: MethodType<'d>,
    pub has_this: bool,
    /// The types of the method around it, and whether that has a `this`.
    pub outer: Option<(MethodType<'d>, bool)>,
}

impl Shape<'_> {
    fn has_object(self, source: Source) -> bool {
        let is_reference = |types: MethodType<'_>, number: u8| {
            types.parameters().nth(usize::from(number)).is_some_and(Type::is_reference)
        };
        match source {
            Source::Null | Source::Coordinate => true,
            Source::This => self.has_this,
            Source::Arg(number) => is_reference(self.types, number),
            Source::Result => self.types.result().is_some_and(Type::is_reference),
            Source::Outer => self.outer.is_some_and(|(_, has_this)| has_this),
            Source::OuterArg(number) => self.outer.is_some_and(|(types, _)| is_reference(types, number)),
        }
    }

    fn has_number(self, number: Number) -> bool {
        let is_number = |types: MethodType<'_>, number: u8| {
            let of = types.parameters().nth(usize::from(number));
            of.is_some_and(|of| !of.is_reference() && !matches!(of, Type::Float | Type::Double))
        };
        match number {
            Number::Constant(_) | Number::Coordinate => true,
            Number::Arg(number) => is_number(self.types, number),
            Number::OuterArg(number) => self.outer.is_some_and(|(types, _)| is_number(types, number)),
            Number::Difference(a, b) => is_number(self.types, a) && is_number(self.types, b),
            Number::Result => self.types.result().is_some(),
        }
    }

    fn fits(self, wanted: &Wanted) -> bool {
        let early = wanted.moment != Moment::After;
        // A call that throws gives nothing, and only objects are kept for that case.
        let plain = wanted.moment != Moment::Thrown || matches!(wanted.form, Form::Effect { .. });
        plain
            && !(early && wanted.form.has_result())
            && wanted.form.sources().iter().all(|source| self.has_object(*source))
            && wanted.form.numbers().iter().all(|number| self.has_number(*number))
    }
}

impl Plan {
    /// The plan for calls by that opcode; `None` if nothing is to be told.
    pub fn of_call(models: &Models, opcode: u8, member: classfile::MemberRef<'_>) -> Option<Plan> {
        let (owner, name) = (text::decode(member.owner)?, text::decode(member.name)?);
        let descriptor = text::decode(member.descriptor)?;
        let lines = || {
            let numbers = models.call_numbers(&name, &descriptor);
            numbers.filter_map(|number| Some((number, models.lines().get(number as usize)?)))
        };
        if owner.starts_with('[') || lines().next().is_none() {
            return None;
        }
        let types = MethodType::parse(member.descriptor)?;
        let constructs = name == "<init>";
        let is_static = opcode == op::INVOKESTATIC;
        let shape = Shape { types, has_this: !is_static && !constructs, outer: None };
        let certain = is_static
            || constructs
            || owner == "java/lang/Object"
            || settled::is_final(&owner) && lines().any(|(_, line)| *line.class == *owner);
        let mut parts = Parts::default();
        for (number, line) in lines() {
            let reaches =
                if certain { *line.class == *owner } else { settled::can_reach(&owner, &line.class) };
            if reaches {
                parts.add(models, number, line, &owner, shape);
            }
        }
        let chosen = match opcode {
            _ if certain => Chosen::Certain,
            op::INVOKESPECIAL => Chosen::Special,
            _ => Chosen::Virtual,
        };
        Plan::new(parts, chosen, member, is_static)
    }

    /// The plan for a call within a method of which inside lines speak.
    pub fn of_inside(
        models: &Models,
        lines: &[u32],
        opcode: u8,
        member: classfile::MemberRef<'_>,
        outer: (MethodType<'_>, bool),
    ) -> Option<Plan> {
        let (owner, name) = (text::decode(member.owner)?, text::decode(member.name)?);
        let mut parts = Parts::default();
        let is_static = opcode == op::INVOKESTATIC;
        for &number in lines {
            let Some(line) = models.lines().get(number as usize) else { continue };
            let Placement::Inside { owner: at, callee } = &line.placement else { continue };
            if **at != *owner || !callee.matches(&name, &text::decode(member.descriptor)?) {
                continue;
            }
            let types = MethodType::parse(member.descriptor)?;
            let has_this = !is_static && name != "<init>";
            parts.add(models, number, line, &owner, Shape { types, has_this, outer: Some(outer) });
        }
        Plan::new(parts, Chosen::Certain, member, is_static)
    }

    fn new(parts: Parts, chosen: Chosen, member: classfile::MemberRef<'_>, is_static: bool) -> Option<Plan> {
        if parts.parts.is_empty() {
            return None;
        }
        Some(Plan {
            parts: parts.parts,
            chosen,
            owner: member.owner.to_vec(),
            name: member.name.to_vec(),
            descriptor: member.descriptor.to_vec(),
            is_static,
        })
    }
}
