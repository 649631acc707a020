//! Puts the probe calls of model lines around the bodies of methods, and finds the lines that speak of calls within.

use classfile::{MethodType, Result, Snippet, text};
use events::models::Placement;

use super::plan::{Chosen, Part, Parts, Shape};
use super::push::{Choice, Places, copy_top};
use crate::class::Weaving;
use crate::method::{Method, moves};
use crate::{Callee, Moment};

/// The model lines that speak of a method's own code.
#[derive(Default)]
pub(crate) struct Bodies {
    /// Of calls within: numbers of lines.
    pub inside: Vec<u32>,
    /// Of the whole body.
    parts: Vec<Part>,
}

impl<'a> Weaving<'_, 'a> {
    /// Finds the lines that speak of the method.
    pub fn begin_models(&mut self, method: &mut Method<'a>) -> Result<()> {
        let Some(class) = text::decode(&self.name) else { return Ok(()) };
        let numbers = self.models.body_numbers(&class);
        if numbers.is_empty() {
            return Ok(());
        }
        let (Some(name), Some(descriptor)) = (text::decode(&method.name), text::decode(&method.descriptor))
        else {
            return Ok(());
        };
        let Some(types) = MethodType::parse(&method.descriptor) else { return Ok(()) };
        let mut parts = Parts::default();
        let shape = Shape { types, has_this: !method.is_static(), outer: None };
        for &number in numbers {
            let Some(line) = self.models.lines().get(number as usize) else { continue };
            if !line.method.matches(&name, &descriptor) {
                continue;
            }
            match line.placement {
                Placement::Inside { .. } => method.bodies.inside.push(number),
                _ => parts.add(self.models, number, line, &class, shape),
            }
        }
        method.bodies.parts = parts.parts;
        Ok(())
    }

    /// Puts the probe calls around the body.
    pub fn end_models(&mut self, method: &mut Method<'a>) -> Result<()> {
        let parts = std::mem::take(&mut method.bodies.parts);
        if !parts.is_empty() {
            self.around_body(method, &parts)?;
        }
        self.tell_pending(method)
    }

    fn around_body(&mut self, method: &mut Method<'a>, parts: &[Part]) -> Result<()> {
        let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
        let Some(types) = MethodType::parse(&descriptor) else { return Ok(()) };
        let owner = self.name.clone();
        let callee = Callee { owner: &owner, name: &name, descriptor: &descriptor };
        let choice = Choice { chosen: Chosen::Certain, callee, calls_back: false };
        let wanted = |moment: Moment| {
            let parts = parts.iter().filter(move |part| part.moment == moment);
            let accesses = method.accesses;
            parts.filter(move |part| accesses || !part.is_access).collect::<Vec<_>>()
        };
        let (before, after, thrown) = (wanted(Moment::Before), wanted(Moment::After), wanted(Moment::Thrown));

        let mut places = Places::default();
        for number in 0..types.parameters().count() {
            let place = self.outer_argument(method, number as u8)?;
            places.arguments.push(place);
        }
        if !method.is_constructor() {
            places.this = self.outer_this(method)?;
        }
        let mut entry = Snippet::new();
        for part in before {
            self.push_part(&mut entry, method, &places, part, choice)?;
        }
        method.entry.append(&entry);

        if method.is_constructor() && !method.is_stored(0)? {
            places.this = Some(0);
        }
        let mut exit = Snippet::new();
        if let Some(of) = types.result().filter(|_| after.iter().any(|part| part.form.has_result())) {
            let local = method.spare(moves(of), 0)?;
            places.result = Some(copy_top(&mut exit, of, local)?);
        }
        for part in after {
            self.push_part(&mut exit, method, &places, part, choice)?;
        }
        places.result = None;
        let mut end = Snippet::new();
        for part in thrown {
            self.push_part(&mut end, method, &places, part, choice)?;
        }
        // What surrounds the body as a whole, its monitor say, ends after this.
        exit.append(&method.exit);
        method.exit = exit;
        end.append(&method.thrown);
        method.thrown = end;
        Ok(())
    }
}
