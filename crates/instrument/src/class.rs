//! Weaves one class: what is known of it, and its methods one after the other. What is inserted where is said in
//! `fields.rs`, `arrays.rs`, `loops/`, `kept.rs`, `flows.rs`, `monitors.rs` and `models/`; what is added to the class in `members.rs`.

use std::rc::Rc;

use classfile::{Class, Edit, Instruction, Result, flags, op, text};
use events::models::Models;

use crate::coverage::{self, Coverage};
use crate::fields::FieldUse;
use crate::kept;
use crate::links::Links;
use crate::members::{self, BLANK, Own};
use crate::method::Method;
use crate::models::Plan;
use crate::probe::Probes;
use crate::references::Bridge;
use crate::{Failure, Gap, Options, PREFIX, Scope, Sites, Spared, World};

/// What is known of a call.
#[derive(Clone)]
pub(crate) enum Called {
    /// Nothing yet.
    Unknown,
    /// Nothing is to be told.
    Plain,
    /// This is to be told.
    Told(Rc<Plan>),
}

/// A class in the making.
pub(crate) struct Weaving<'w, 'a> {
    pub class: Class<'a>,
    pub name: Vec<u8>,
    pub world: &'w dyn World,
    pub models: &'w Models,
    pub sites: &'w mut dyn Sites,
    pub options: Options,
    /// Whether a coverage tool has been at it.
    covered: bool,
    /// The class's number; 0 until somebody needs it.
    number: u32,
    pub probes: Probes,
    pub links: Links,
    pub own: Own,
    /// Methods that were added to stand in for what method references name.
    pub bridges: Vec<Bridge>,
    /// What was found out about the fields that instructions name, by the constant's index.
    pub fields: Vec<Option<FieldUse>>,
    /// What is to be done at calls, by the constant's index; once for calls of `super` and once for others.
    pub calls: [Vec<Called>; 2],
}

/// A class that has been woven is not woven again. Those of the JDK have only what `jdk.rs` gave them.
pub(crate) fn refuse_woven(class: &Class<'_>, scope: Scope) -> std::result::Result<(), Failure> {
    for member in class.fields.iter().chain(&class.methods) {
        let ours = class.pool.utf8(member.name)?.starts_with(PREFIX.as_bytes());
        if ours && scope != Scope::ModelOnly {
            return Err(Failure::new("the class has been woven already"));
        }
    }
    Ok(())
}

impl<'w, 'a> Weaving<'w, 'a> {
    pub fn new(
        class: Class<'a>,
        bridges: Vec<Bridge>,
        world: &'w dyn World,
        models: &'w Models,
        sites: &'w mut dyn Sites,
        options: &Options,
    ) -> std::result::Result<Self, Failure> {
        let name = class.name()?.to_vec();
        let count = usize::from(class.pool.count());
        Ok(Weaving {
            covered: coverage::is_covered(&class),
            class,
            name,
            world,
            models,
            sites,
            options: *options,
            number: 0,
            probes: Probes::default(),
            links: Links::default(),
            own: Own::default(),
            bridges,
            fields: vec![None; count],
            calls: [vec![Called::Unknown; count], vec![Called::Unknown; count]],
        })
    }

    /// Weaves everything; the new bytes, if there is anything new.
    pub fn run(mut self) -> std::result::Result<Option<Vec<u8>>, Failure> {
        if self.class.access & flags::MODULE != 0 {
            return Ok(None);
        }
        let methods = self.class.methods.len();
        let mut changed = members::add(&mut self)? || !self.bridges.is_empty();
        for index in 0..methods {
            changed |= self.method(index)?;
        }
        if !changed {
            return Ok(None);
        }
        self.links.write(&mut self.class)?;
        Ok(Some(self.class.write()?))
    }

    /// Weaves a method; if it does not fit, without its accesses; if it does not fit either, not at all.
    fn method(&mut self, index: usize) -> std::result::Result<bool, Failure> {
        let accesses = self.options.scope == Scope::Whole && !self.is_of_coverage(index);
        let far = flags::NATIVE | flags::SYNCHRONIZED;
        let access = self.class.methods.get(index).map_or(0, |method| method.access);
        if access & far == far && self.options.scope != Scope::ModelOnly {
            let why = "its monitor is not seen: the method is native".to_owned();
            self.sites.gap(Gap { method: self.method_text(index), why });
        }
        let error = match self.weave_method(index, accesses) {
            Ok(changed) => return Ok(changed),
            Err(error) => error,
        };
        let again = error.reason.is_limit() && accesses;
        let (changed, what) = match again.then(|| self.weave_method(index, false)) {
            Some(Ok(changed)) => (changed, "accesses are not watched"),
            _ => (false, "not watched"),
        };
        let why = format!("{what}: {}", error.reason);
        let method = self.method_text(index);
        self.sites.gap(Gap { method, why });
        Ok(changed)
    }

    /// Whether a coverage tool has added the method.
    fn is_of_coverage(&self, index: usize) -> bool {
        let method = self.class.methods.get(index).filter(|_| self.covered);
        method.is_some_and(|method| coverage::is_tools(&self.class, method.name))
    }

    pub fn method_text(&self, index: usize) -> String {
        let member = self.class.methods.get(index).and_then(|method| self.class.member_name(method).ok());
        let (name, descriptor) = member.unwrap_or_default();
        let class = text::to_str(&self.name).replace('/', ".");
        format!("{class}.{}{}", text::to_str(name), text::to_str(descriptor))
    }

    fn weave_method(&mut self, index: usize, accesses: bool) -> Result<bool> {
        let Some(edit) = Edit::new(&self.class, index)? else { return Ok(false) };
        let mut steps = edit.code().instructions();
        let mut method = Method::new(&self.class, index, edit, accesses)?;
        let whole = self.options.scope != Scope::ModelOnly;
        let mut coverage = Coverage::new(self.covered);
        self.begin_models(&mut method)?;
        if whole && accesses && !self.options.kept {
            let blank = (self.own.keeping >= BLANK).then_some(self.name.as_slice());
            method.kept = kept::find(method.edit.code(), &self.class.pool, blank)?;
        }
        if whole
            && accesses
            && let Some(facts) = self.world.facts().and_then(|facts| facts.method(index))
        {
            method.planned = facts.spared.iter().map(|pc| u32::from(*pc)).collect();
            self.begin_flows(&mut method, facts)?;
        }
        if whole && accesses && self.world.ranges_loops() {
            self.range_loops(&mut method)?;
        }
        loop {
            let pc = steps.next_pc();
            let Some(step) = steps.next() else { break };
            let (_, instruction) = step?;
            method.pc = pc;
            if coverage.sets_a_flag(&self.class, &instruction) || method.ranged.binary_search(&pc).is_ok() {
                continue;
            }
            self.flow_uses(&mut method, &instruction)?;
            match instruction {
                Instruction::Invoke { opcode, member } if opcode != op::INVOKEDYNAMIC => {
                    self.call(&mut method, opcode, member)?;
                }
                _ if !whole => {}
                Instruction::Field { opcode, member } => self.field(&mut method, opcode, member)?,
                Instruction::Plain(op::MONITORENTER) => self.monitor_enter(&mut method)?,
                Instruction::Plain(op::MONITOREXIT) => self.monitor_exit(&mut method)?,
                Instruction::Plain(opcode @ (op::IALOAD..=op::SALOAD | op::IASTORE..=op::SASTORE))
                    if accesses =>
                {
                    if method.is_kept_here() {
                        method.spares(Spared::Kept);
                    } else if method.is_planned_here() {
                        method.spares(Spared::Plan);
                    } else {
                        self.element(&mut method, opcode)?;
                    }
                }
                _ => {}
            }
            self.flow_reads(&mut method, &instruction)?;
        }
        self.frame(&mut method)?;
        let spared = method.spared();
        let changed = method.edit.apply(&mut self.class)?;
        spared.for_each(|(why, count)| self.sites.spared(why, count));
        Ok(changed)
    }

    /// The class's number.
    pub fn number(&mut self) -> u32 {
        if self.number == 0 {
            let source = self.class.source_file().ok().flatten();
            self.number = self.sites.class(&self.name, source);
        }
        self.number
    }

    /// May the class's code use `invokedynamic`?
    pub fn has_dynamic_calls(&self) -> bool {
        self.class.major >= 51
    }
}
