//! Puts the probe calls of model lines around calls. What the call takes off the stack is kept in locals while it runs.
//!
//! A call that may be left by an exception while something is to be told then (a `wait` that is interrupted) notes it
//! in locals of the whole method: which site, for whom. Whoever catches the exception in this method, and the method's
//! end by an exception, tells it: `effect(receiver, target, 0, site)`, where site 0 stands for nothing. So there are no
//! branches and no handlers within the code, and the program's own handlers see what they saw.

use std::rc::Rc;

use classfile::{Class, Kind as Moves, MethodType, Result, Snippet, op};
use events::models::Models;
use events::session::Kind;

use super::plan::{Chosen, Form, Part, Plan, Source};
use super::push::{Choice, Place, Places, copy_top};
use crate::class::{Called, Weaving};
use crate::method::{Method, moves, value_of};
use crate::probe::Probe;
use crate::{Callee, Moment, Scope, World};

/// Which spare local holds what is cloned: one that nothing else at the same call uses.
const ORIGINAL: usize = 15;

/// Locals that note what is to be told if a call is left by an exception.
#[derive(Clone, Copy)]
pub(crate) struct Pending {
    site: u16,
    receiver: u16,
    target: u16,
}

/// What is told at calls of the method by that opcode in the class.
pub(crate) fn plan_call(
    class: &Class<'_>,
    world: &dyn World,
    models: &Models,
    opcode: u8,
    member: u16,
) -> Result<Option<Plan>> {
    let found = class.pool.member_ref(member)?;
    let Some(plan) = Plan::of_call(models, opcode, found) else { return Ok(None) };
    // A woven method speaks for itself, unless the table speaks for subclasses too.
    let by_itself = plan.chosen != Chosen::Certain
        && (found.owner == class.name()? && declares(class, found.name, found.descriptor)
            || world.is_woven_method(found.owner, found.name, found.descriptor));
    let for_all = |part: &Part| {
        let mut lines = part.effects.iter().filter_map(|effect| models.lines().get(effect.line as usize));
        lines.any(|line| line.subclasses)
    };
    Ok(Some(plan).filter(|plan| !by_itself || plan.parts.iter().any(for_all)))
}

/// Does the class itself say what the method does?
fn declares(class: &Class<'_>, name: &[u8], descriptor: &[u8]) -> bool {
    class.methods.iter().any(|method| {
        class.member_name(method) == Ok((name, descriptor))
            && class.attribute(&method.attributes, b"Code").is_some()
    })
}

/// Is it code of the user's that the JDK calls, if the receiver is the user's: a function, or what compares keys?
fn is_called_back(plan: &Plan) -> bool {
    let compares = matches!((plan.owner.as_slice(), plan.name.as_slice()), (b"java/lang/Object", b"equals"));
    compares || plan.owner.starts_with(b"java/util/function/")
}

impl<'a> Weaving<'_, 'a> {
    pub fn call(&mut self, method: &mut Method<'a>, opcode: u8, member: u16) -> Result<()> {
        if !method.bodies.inside.is_empty() {
            let found = self.class.pool.member_ref(member)?;
            if let Some(outer) = MethodType::parse(&method.descriptor) {
                let outer = (outer, !method.is_static());
                let plan = Plan::of_inside(self.models, &method.bodies.inside, opcode, found, outer);
                if let Some(plan) = plan {
                    return self.around(method, &plan);
                }
            }
        }
        if self.options.scope == Scope::ModelOnly {
            return Ok(());
        }
        self.clone_call(method, opcode, member)?;
        let special = usize::from(opcode == op::INVOKESPECIAL);
        let known = self.calls.get(special).and_then(|calls| calls.get(usize::from(member)));
        let called = match known {
            Some(Called::Unknown) | None => {
                let plan = plan_call(&self.class, self.world, self.models, opcode, member)?;
                let called = plan.map_or(Called::Plain, |plan| Called::Told(Rc::new(plan)));
                let calls = self.calls.get_mut(special);
                if let Some(place) = calls.and_then(|calls| calls.get_mut(usize::from(member))) {
                    *place = called.clone();
                }
                called
            }
            Some(known) => known.clone(),
        };
        match called {
            Called::Told(plan) => self.around(method, &plan),
            _ => Ok(()),
        }
    }

    /// A copy has the number of what it was copied from, and its shadow words: it has to get rid of them.
    fn clone_call(&mut self, method: &mut Method<'a>, opcode: u8, member: u16) -> Result<()> {
        let found = self.class.pool.member_ref(member)?;
        let copies = opcode != op::INVOKESTATIC
            && found.name == b"clone"
            && found.descriptor.starts_with(b"()L")
            && !found.owner.starts_with(b"[");
        if !copies {
            return Ok(());
        }
        let original = method.spare(Moves::Reference, ORIGINAL)?;
        let (mut before, mut after) = (Snippet::new(), Snippet::new());
        before.plain(op::DUP)?.store(Moves::Reference, original);
        after.plain(op::DUP)?.load(Moves::Reference, original);
        self.probes.call(&mut self.class.pool, &mut after, Probe::Cloned)?;
        method.edit.before(method.pc, &before);
        method.edit.after(method.pc, &after);
        Ok(())
    }

    /// Puts the parts of a plan around the call at the current instruction.
    fn around(&mut self, method: &mut Method<'a>, plan: &Plan) -> Result<()> {
        let Some(types) = MethodType::parse(&plan.descriptor) else { return Ok(()) };
        let parts: Vec<&Part> = plan.parts.iter().filter(|part| method.accesses || !part.is_access).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let callee = Callee { owner: &plan.owner, name: &plan.name, descriptor: &plan.descriptor };
        let calls_back = self.options.scope == Scope::ModelOnly && is_called_back(plan);
        let choice = Choice { chosen: plan.chosen, callee, calls_back };
        let needs_this = !plan.is_static
            && (plan.chosen != Chosen::Certain
                || calls_back
                || parts.iter().any(|part| part.form.sources().contains(&Source::This)));
        let lowest = parts.iter().filter_map(|part| part.form.lowest_argument()).min();
        let lowest = if needs_this { Some(0) } else { lowest };
        let mut before = Snippet::new();
        if self.options.scope != Scope::ModelOnly && parts.iter().any(|part| takes_lock(part)) {
            // If the stack is to overflow, then before the lock is taken: what tells that it was must not.
            self.probes.call(&mut self.class.pool, &mut before, Probe::Room)?;
        }
        let mut places = self.keep_operands(method, &mut before, types, lowest, needs_this)?;
        let mut noted = 0;
        for part in parts.iter().filter(|part| part.moment == Moment::Before) {
            self.push_part(&mut before, method, &places, part, choice)?;
        }
        for part in parts.iter().filter(|part| part.moment == Moment::Thrown) {
            self.note(&mut before, method, &places, (part, choice), noted)?;
            noted += 1;
        }
        method.edit.before(method.pc, &before);

        let mut after = Snippet::new();
        let parts_after = || parts.iter().filter(|part| part.moment == Moment::After);
        let needs_result = parts_after().any(|part| part.form.has_result());
        if let Some(of) = types.result().filter(|_| needs_result) {
            let local = method.spare(moves(of), result_spare(types, moves(of)))?;
            places.result = Some(copy_top(&mut after, of, local)?);
        }
        for part in parts_after() {
            self.push_part(&mut after, method, &places, part, choice)?;
        }
        for pending in method.pending.iter().take(noted) {
            forget(&mut after, *pending)?;
        }
        if noted > 0 {
            method.pending_calls.push(method.pc);
        }
        method.edit.after(method.pc, &after);
        Ok(())
    }

    /// Takes the operands down to the lowest needed off the stack into locals, and puts them back.
    fn keep_operands(
        &mut self,
        method: &mut Method<'a>,
        to: &mut Snippet,
        types: MethodType<'_>,
        lowest: Option<usize>,
        needs_this: bool,
    ) -> Result<Places> {
        let mut places = Places::default();
        let Some(lowest) = lowest else { return Ok(places) };
        let kinds: Vec<Moves> = types.parameters().map(moves).collect();
        let mut used: Vec<Moves> = Vec::new();
        let mut spare = |method: &mut Method<'a>, moves: Moves| {
            let nth = used.iter().filter(|kind| **kind == moves).count();
            used.push(moves);
            method.spare(moves, nth)
        };
        if needs_this {
            places.this = Some(spare(method, Moves::Reference)?);
        }
        for (number, &moves) in kinds.iter().enumerate() {
            let place =
                if number < lowest { None } else { Some(Place { moves, local: spare(method, moves)? }) };
            places.arguments.push(place);
        }
        for place in places.arguments.iter().rev().flatten() {
            to.store(place.moves, place.local);
        }
        if let Some(this) = places.this {
            to.plain(op::DUP)?.store(Moves::Reference, this);
        }
        for place in places.arguments.iter().flatten() {
            to.load(place.moves, place.local);
        }
        Ok(places)
    }

    /// Notes what is to be told if the call throws.
    fn note(
        &mut self,
        to: &mut Snippet,
        method: &mut Method<'a>,
        places: &Places,
        (part, choice): (&Part, Choice<'_>),
        nth: usize,
    ) -> Result<()> {
        while method.pending.len() <= nth {
            let object = value_of(&mut self.class, Moves::Reference)?;
            let number = value_of(&mut self.class, Moves::Int)?;
            let pending = Pending {
                site: method.edit.method_local(number)?,
                receiver: method.edit.method_local(object)?,
                target: method.edit.method_local(object)?,
            };
            method.pending.push(pending);
            let mut nothing = Snippet::new();
            forget(&mut nothing, pending)?;
            method.edit.entry(&nothing);
        }
        let (Some(pending), Form::Effect { target, .. }) = (method.pending.get(nth).copied(), part.form)
        else {
            return Ok(());
        };
        let site = self.part_site(method, part, choice)?;
        if choice.chosen != Chosen::Certain || choice.calls_back {
            self.push_receiver(to, places, choice)?;
            to.store(Moves::Reference, pending.receiver);
        }
        self.push_object(to, method, places, target)?;
        to.store(Moves::Reference, pending.target);
        to.int(&mut self.class.pool, site)?.store(Moves::Int, pending.site);
        Ok(())
    }

    /// Tells what was noted, and forgets it.
    pub fn noted(&mut self, method: &Method<'a>) -> Result<Snippet> {
        let mut told = Snippet::new();
        for pending in method.pending.clone() {
            told.load(Moves::Reference, pending.receiver).load(Moves::Reference, pending.target);
            told.long(&mut self.class.pool, 0)?.load(Moves::Int, pending.site);
            self.probes.call(&mut self.class.pool, &mut told, Probe::Effect)?;
            forget(&mut told, pending)?;
        }
        Ok(told)
    }

    /// Tells what was noted, wherever an exception of a call may arrive in this method or leave it.
    pub fn tell_pending(&mut self, method: &mut Method<'a>) -> Result<()> {
        if method.pending.is_empty() {
            return Ok(());
        }
        let mut told = self.noted(method)?;
        let mut targets: Vec<u32> = Vec::new();
        for handler in method.edit.code().handlers() {
            let covered = u32::from(handler.start)..u32::from(handler.end);
            if method.pending_calls.iter().any(|pc| covered.contains(pc)) {
                targets.push(handler.target.into());
            }
        }
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            method.edit.before(target, &told);
        }
        // First of all: what else is told when the method is left stands around this call.
        told.append(&method.thrown);
        method.thrown = told;
        Ok(())
    }
}

/// Is a lock held after the call that was not before?
fn takes_lock(part: &Part) -> bool {
    part.moment == Moment::After
        && part.effects.iter().any(|effect| matches!(effect.kind, Kind::Acquire | Kind::AcquireRead))
}

/// Nothing is noted any more, and no object is kept alive.
fn forget(to: &mut Snippet, pending: Pending) -> Result<()> {
    to.plain(op::ICONST_0)?.store(Moves::Int, pending.site);
    for local in [pending.receiver, pending.target] {
        to.plain(op::ACONST_NULL)?.store(Moves::Reference, local);
    }
    Ok(())
}

/// The result's local comes behind those that operands of its kind may take.
fn result_spare(types: MethodType<'_>, of: Moves) -> usize {
    types.parameters().filter(|parameter| moves(*parameter) == of).count()
        + usize::from(of == Moves::Reference)
}
