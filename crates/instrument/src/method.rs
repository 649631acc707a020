//! A method in the making: its edit, its locals of our own, its place among sites, and what surrounds it as a whole
//! (synchronized methods, blocks, tests, the ends of constructors and of class initialisation).

use classfile::{
    Border, Catch, Class, ClassRef, Edit, Error, Instruction, Kind as Moves, MethodType, Order, Range,
    Reason, Result, Snippet, Type, Value, flags, op, text,
};
use events::models::Role;

use crate::class::Weaving;
use crate::flows::Flows;
use crate::kept::Kept;
use crate::models::{Bodies, Pending};
use crate::monitors::Region;
use crate::probe::Probe;
use crate::taken::{self, Taken, class_object};
use crate::{Blocks, Called, Kind, Scope, Site, Spared};

/// A method in the making.
pub(crate) struct Method<'a> {
    pub index: usize,
    pub edit: Edit<'a>,
    pub access: u16,
    pub name: Vec<u8>,
    pub descriptor: Vec<u8>,
    /// Are plain accesses woven?
    pub accesses: bool,
    /// The instruction that is looked at.
    pub pc: u32,
    /// Runs once, when the method begins; then, before every return; and when it is left by an exception.
    pub entry: Snippet,
    pub exit: Snippet,
    pub thrown: Snippet,
    /// In constructors: from where on `this` is an object.
    initialised_from: Option<Option<u32>>,
    /// In constructors: puts of fields into a `this` that is none yet.
    early_puts: Option<Vec<u32>>,
    number: u32,
    lines: Option<Vec<(u16, u16)>>,
    spare: Vec<(Moves, u16)>,
    stored: Option<Vec<bool>>,
    saved: Vec<(u16, u16)>,
    /// Accesses in loops that are told when the loop is entered or left: pcs, ascending.
    pub ranged: Vec<u32>,
    /// Accesses to what the method keeps to itself.
    pub kept: Kept,
    /// Accesses that the plan says need not be told: pcs, ascending.
    pub planned: Vec<u32>,
    /// Values that the plan wants to be watched.
    pub flows: Flows,
    /// How many accesses are not told, by [`Spared`].
    spared: [u32; Spared::ALL.len()],
    /// What model lines say of the method's own code.
    pub bodies: Bodies,
    /// Locals that note what is to be told if a call throws, and the calls that use them.
    pub pending: Vec<Pending>,
    pub pending_calls: Vec<u32>,
    /// Regions that are left by an exception in one place, once they have been looked for.
    pub regions: Option<Vec<Region>>,
    /// From which fields the code takes what it uses, once somebody has asked.
    taken: Option<Taken>,
}

/// What loads and stores move for a type.
pub(crate) fn moves(of: Type<'_>) -> Moves {
    match of {
        Type::Long => Moves::Long,
        Type::Float => Moves::Float,
        Type::Double => Moves::Double,
        Type::Object(_) | Type::Array(_) => Moves::Reference,
        _ => Moves::Int,
    }
}

impl<'a> Method<'a> {
    pub fn new(class: &Class<'a>, index: usize, edit: Edit<'a>, accesses: bool) -> Result<Method<'a>> {
        let member = class.methods.get(index);
        let (name, descriptor) =
            member.map(|member| class.member_name(member)).transpose()?.unwrap_or_default();
        Ok(Method {
            index,
            edit,
            access: member.map_or(0, |member| member.access),
            name: name.to_vec(),
            descriptor: descriptor.to_vec(),
            accesses,
            pc: 0,
            entry: Snippet::new(),
            exit: Snippet::new(),
            thrown: Snippet::new(),
            initialised_from: None,
            early_puts: None,
            number: 0,
            lines: None,
            spare: Vec::new(),
            stored: None,
            saved: Vec::new(),
            ranged: Vec::new(),
            kept: Kept::default(),
            planned: Vec::new(),
            flows: Flows::default(),
            spared: [0; Spared::ALL.len()],
            bodies: Bodies::default(),
            pending: Vec::new(),
            pending_calls: Vec::new(),
            regions: None,
            taken: None,
        })
    }

    /// Is the access at the current instruction one to something that the method keeps to itself?
    pub fn is_kept_here(&self) -> bool {
        self.kept.has(self.pc)
    }

    /// Is it one if the class that the instruction names is blank?
    pub fn is_kept_here_if_blank(&self) -> bool {
        self.kept.has_if_blank(self.pc)
    }

    /// Does the plan say that the access at the current instruction need not be told?
    pub fn is_planned_here(&self) -> bool {
        self.planned.binary_search(&self.pc).is_ok()
    }

    /// Counts an access that is not told.
    pub fn spares(&mut self, why: Spared) {
        if let Some(count) = self.spared.get_mut(why as usize) {
            *count += 1;
        }
    }

    /// How many accesses are not told, and why.
    pub fn spared(&self) -> impl Iterator<Item = (Spared, u32)> + use<> {
        Spared::ALL.into_iter().zip(self.spared).filter(|(_, count)| *count > 0)
    }

    pub fn is_static(&self) -> bool {
        self.access & flags::STATIC != 0
    }

    pub fn is_constructor(&self) -> bool {
        self.name == b"<init>"
    }

    /// A local for use around one instruction: the `nth` of its kind.
    pub fn spare(&mut self, moves: Moves, nth: usize) -> Result<u16> {
        while self.spare.iter().filter(|(kind, _)| *kind == moves).count() <= nth {
            let local = self.edit.new_local(moves)?;
            self.spare.push((moves, local));
        }
        let mut of_kind = self.spare.iter().filter(|(kind, _)| *kind == moves);
        of_kind.nth(nth).map(|(_, local)| *local).ok_or(too_many("locals"))
    }

    /// From where on `this` is an object, in the order of the code; `None` if nowhere.
    pub fn initialised_from(&mut self, class: &Class<'a>) -> Result<Option<u32>> {
        if let Some(known) = self.initialised_from {
            return Ok(known);
        }
        let from = self.edit.initialised_from(class)?;
        self.initialised_from = Some(from);
        Ok(from)
    }

    /// Is the field at the current instruction put into a `this` whose constructor has not called `super` yet?
    pub fn is_early_put(&mut self, class: &Class<'a>) -> Result<bool> {
        if !self.is_constructor() || self.initialised_from(class)?.is_some_and(|from| from <= self.pc) {
            return Ok(false);
        }
        if self.early_puts.is_none() {
            let mut found = Vec::new();
            if let Some(member) = class.methods.get(self.index)
                && let Some(mut flow) = classfile::Flow::new(class, member)?
            {
                while let Some(step) = flow.next()? {
                    if matches!(step.instruction, Instruction::Field { opcode: op::PUTFIELD, .. })
                        && step.state.and_then(|state| state.peek(1)) == Some(Value::UninitializedThis)
                    {
                        found.push(step.pc);
                    }
                }
            }
            self.early_puts = Some(found);
        }
        Ok(self.early_puts.as_ref().is_some_and(|found| found.binary_search(&self.pc).is_ok()))
    }

    /// The field from which the current instruction takes what it uses; empty if that is not known.
    pub fn taken_from(&mut self, class: &Class<'a>) -> Result<String> {
        if self.taken.is_none() {
            self.taken = Some(taken::find(self.edit.code(), &class.pool)?);
        }
        self.taken.as_ref().map_or(Ok(String::new()), |taken| taken.name(self.pc, &class.pool))
    }

    /// The source line of a pc; 0 if it is not known.
    pub fn line(&mut self, class: &Class<'a>, pc: u32) -> u16 {
        let lines = self.lines.get_or_insert_with(|| {
            let mut lines: Vec<(u16, u16)> = self.edit.code().lines(&class.pool).collect();
            lines.sort_by_key(|(start, _)| *start);
            lines
        });
        let after = lines.partition_point(|(start, _)| u32::from(*start) <= pc);
        after.checked_sub(1).and_then(|at| lines.get(at)).map_or(0, |(_, line)| *line)
    }

    /// Does the old code store to the slot?
    pub fn is_stored(&mut self, slot: u16) -> Result<bool> {
        if self.stored.is_none() {
            let mut stored = vec![false; usize::from(self.edit.code().max_locals) + 1];
            for step in self.edit.code().instructions() {
                let (from, slots) = match step?.1 {
                    Instruction::Store { kind, local } => (local, kind.slots()),
                    Instruction::Increment { local, .. } => (local, 1),
                    _ => continue,
                };
                for slot in from..from.saturating_add(slots) {
                    if let Some(place) = stored.get_mut(usize::from(slot)) {
                        *place = true;
                    }
                }
            }
            self.stored = Some(stored);
        }
        Ok(self.stored.as_ref().and_then(|stored| stored.get(usize::from(slot))).copied().unwrap_or(true))
    }

    /// A slot that holds what parameter slot `slot` held when the method began, in all of the method.
    pub fn keep(&mut self, class: &mut Class<'a>, slot: u16, moves: Moves) -> Result<u16> {
        if !self.is_stored(slot)? {
            return Ok(slot);
        }
        if let Some((_, local)) = self.saved.iter().find(|(from, _)| *from == slot) {
            return Ok(*local);
        }
        let value = value_of(class, moves)?;
        let local = self.edit.method_local(value)?;
        let mut copy = Snippet::new();
        copy.load(moves, slot).store(moves, local);
        self.edit.entry(&copy);
        self.saved.push((slot, local));
        Ok(local)
    }

    /// The type and slot of a parameter, the receiver not counted.
    pub fn parameter(&self, number: usize) -> Option<(Type<'_>, u16)> {
        let mut slot = u16::from(!self.is_static());
        for (at, of) in MethodType::parse(&self.descriptor)?.parameters().enumerate() {
            if at == number {
                return Some((of, slot));
            }
            slot += of.slots();
        }
        None
    }
}

/// What a local of the whole method is to the verifier.
pub(crate) fn value_of(class: &mut Class<'_>, moves: Moves) -> Result<Value> {
    Ok(match moves {
        Moves::Int => Value::Int,
        Moves::Long => Value::Long,
        Moves::Float => Value::Float,
        Moves::Double => Value::Double,
        Moves::Reference => Value::Object(ClassRef::constant(class.pool.add_class(b"java/lang/Object")?)),
    })
}

/// What the end of a constructor and the begin of a finalizer are ordered for.
const FINALIZE: &str = "finalize";

/// A limit of our own.
pub(crate) fn too_many(what: &'static str) -> Error {
    Error { offset: 0, reason: Reason::TableTooLarge(what) }
}

impl<'a> Weaving<'_, 'a> {
    /// The number of a site at the current instruction.
    pub fn site(&mut self, method: &mut Method<'a>, kind: Kind, operand: u32, about: &str) -> Result<i32> {
        let of = match kind {
            Kind::ArrayRead | Kind::ArrayWrite | Kind::Enter | Kind::EnterBlock => {
                method.taken_from(&self.class)?
            }
            _ => String::new(),
        };
        self.site_of(method, kind, operand, about, &of)
    }

    /// The same, where something is used that is known by this name.
    fn site_of(
        &mut self,
        method: &mut Method<'a>,
        kind: Kind,
        operand: u32,
        about: &str,
        of: &str,
    ) -> Result<i32> {
        let number = self.method_number(method);
        let site = Site {
            method: number,
            line: method.line(&self.class, method.pc),
            kind,
            operand,
            text: about,
            of,
            effects: &[],
            called: Called::Certain,
            watched: method.accesses,
        };
        self.sites.site(site).map(|number| number as i32).ok_or(too_many("sites"))
    }

    /// The method's number.
    pub fn method_number(&mut self, method: &mut Method<'a>) -> u32 {
        if method.number == 0 {
            let class = self.number();
            // What stands in for a method reference is shown as the method that holds the reference.
            let bridge = self.bridges.iter().find(|bridge| bridge.name == method.name);
            let (name, descriptor) = match bridge {
                Some(bridge) => {
                    method.lines = Some(vec![(0, bridge.line)]);
                    (&bridge.holder.0, &bridge.holder.1)
                }
                None => (&method.name, &method.descriptor),
            };
            method.number = self.sites.method(class, name, descriptor);
        }
        method.number
    }

    /// Appends a site's number and the probe call.
    pub fn tell(&mut self, to: &mut Snippet, site: i32, probe: Probe) -> Result<()> {
        to.int(&mut self.class.pool, site)?;
        self.probes.call(&mut self.class.pool, to, probe)
    }

    /// Appends the class as an object.
    fn push_class(&mut self, to: &mut Snippet) -> Result<()> {
        if self.class.major >= 49 {
            to.class(&mut self.class.pool, &self.name)?;
        } else {
            // Before there were class constants.
            let name = text::to_str(&self.name).replace('/', ".");
            to.string(&mut self.class.pool, &name)?;
            let descriptor = b"(Ljava/lang/String;)Ljava/lang/Class;";
            to.invoke_static(&mut self.class.pool, b"java/lang/Class", b"forName", descriptor)?;
        }
        Ok(())
    }

    /// What surrounds the method as a whole.
    pub fn frame(&mut self, method: &mut Method<'a>) -> Result<()> {
        method.pc = 0;
        if self.options.scope != Scope::ModelOnly {
            self.surround(method)?;
        }
        self.end_models(method)?;
        let entry = std::mem::take(&mut method.entry);
        method.edit.entry(&entry);
        if !method.exit.is_empty() {
            let exit = std::mem::take(&mut method.exit);
            method.edit.before_returns(&exit)?;
        }
        if method.thrown.is_empty() {
            return Ok(());
        }
        let mut body = std::mem::take(&mut method.thrown);
        body.plain(op::ATHROW)?;
        if let Some(start) = method.initialised_from(&self.class)? {
            let end = method.edit.code().bytes.len() as u32;
            let range = Range { start, end, border: Border::Around };
            method.edit.handler(range, Catch::Any, Order::Outer, &body)?;
        }
        Ok(())
    }

    fn surround(&mut self, method: &mut Method<'a>) -> Result<()> {
        self.note_unplanned(method)?;
        self.mark_test(method)?;
        // Before the monitor is entered: it is that of another object from here on.
        self.finalisation(method)?;
        if method.access & flags::SYNCHRONIZED != 0 {
            self.synchronized_method(method)?;
        } else if self.is_block(method) {
            let begin = self.site(method, Kind::Begin, 0, "")?;
            let finish = self.site(method, Kind::Finish, 0, "")?;
            let (mut start, mut end) = (Snippet::new(), Snippet::new());
            self.tell(&mut start, begin, Probe::Begin)?;
            self.tell(&mut end, finish, Probe::Finish)?;
            method.entry.append(&start);
            method.exit.append(&end);
            method.thrown.append(&end);
        }
        if method.is_constructor() && self.own.freezes && !method.is_stored(0)? {
            let site = self.site(method, Kind::Freeze, 0, "")?;
            let mut freeze = Snippet::new();
            if let Some(flag) = self.own.frozen {
                freeze.load(Moves::Reference, 0).plain(op::ICONST_1)?;
                freeze.field_at(op::PUTFIELD, flag, b"Z")?;
            }
            freeze.load(Moves::Reference, 0);
            self.tell(&mut freeze, site, Probe::Freeze)?;
            method.exit.append(&freeze);
        }
        if method.name == b"<clinit>" {
            let site = self.site(method, Kind::Initialised, 0, "")?;
            let mut end = Snippet::new();
            self.push_class(&mut end)?;
            self.tell(&mut end, site, Probe::Initialised)?;
            method.exit.append(&end);
        }
        Ok(())
    }

    /// The end of an object's constructor comes before its finalizer begins, in whichever thread (JLS 17.4.5). Of all else
    /// that is done to the object the probe takes care: it cannot come later, but what is done elsewhere can. Of what is
    /// above a class nothing is known when it is woven: whether there is a finalizer is asked at the end of each of its
    /// constructors, unless that throws.
    fn finalisation(&mut self, method: &mut Method<'a>) -> Result<()> {
        let inherits = method.is_constructor() && self.class.super_name()? != Some(b"java/lang/Object");
        if !(self.own.finalised || inherits) || method.is_static() || method.is_stored(0)? {
            return Ok(());
        }
        let mut order = Snippet::new();
        if !self.own.finalised {
            order.load(Moves::Reference, 0);
            let site = self.site(method, Kind::Signal, 0, FINALIZE)?;
            self.tell(&mut order, site, Probe::Made)?;
            method.exit.append(&order);
            return Ok(());
        }
        order.load(Moves::Reference, 0);
        if method.is_constructor() {
            let site = self.site(method, Kind::Signal, 0, FINALIZE)?;
            self.tell(&mut order, site, Probe::Orders)?;
            method.exit.append(&order);
            method.thrown.append(&order);
        } else if (method.name.as_slice(), method.descriptor.as_slice()) == (b"finalize", b"()V") {
            let site = self.site(method, Kind::Observe, 0, FINALIZE)?;
            self.tell(&mut order, site, Probe::Finalizes)?;
            method.entry.append(&order);
        }
        Ok(())
    }

    /// A method that the plan holds for unused tells when it runs: then the plan is not of this program.
    fn note_unplanned(&mut self, method: &mut Method<'a>) -> Result<()> {
        let facts = self.world.facts().and_then(|facts| facts.method(method.index));
        if !facts.is_some_and(|facts| facts.unused) {
            return Ok(());
        }
        let name = self.method_text(method.index);
        let mut note = Snippet::new();
        note.string(&mut self.class.pool, &name)?;
        self.probes.call(&mut self.class.pool, &mut note, Probe::Unplanned)?;
        method.entry.append(&note);
        Ok(())
    }

    /// A synchronized method holds its monitor from before its first instruction until after its last.
    fn synchronized_method(&mut self, method: &mut Method<'a>) -> Result<()> {
        // If the stack is to overflow, then before the monitor is told: the handler that tells its end must not.
        self.probes.call(&mut self.class.pool, &mut method.entry, Probe::Room)?;
        let (enter, exit) = self.monitor_kinds();
        let class = if method.is_static() { class_object(&self.name) } else { String::new() };
        let enter = self.site_of(method, enter, 0, "", &class)?;
        let exit = self.site(method, exit, 0, "")?;
        let mut lock = Snippet::new();
        if method.is_static() {
            self.push_class(&mut lock)?;
        } else {
            let this = method.keep(&mut self.class, 0, Moves::Reference)?;
            lock.load(Moves::Reference, this);
        }
        let mut start = lock.clone();
        self.tell(&mut start, enter, Probe::Enter)?;
        method.entry.append(&start);
        self.tell(&mut lock, exit, Probe::Exit)?;
        method.exit.append(&lock);
        method.thrown.append(&lock);
        Ok(())
    }

    /// A region is a block unless the code's accesses are left out: then nothing in it is checked.
    pub fn monitor_kinds(&self) -> (Kind, Kind) {
        match self.options.scope {
            Scope::Whole => (Kind::EnterBlock, Kind::ExitBlock),
            _ => (Kind::Enter, Kind::Exit),
        }
    }

    fn is_block(&self, method: &Method<'a>) -> bool {
        if self.options.scope != Scope::Whole || method.name.starts_with(b"<") {
            return false;
        }
        // Flanagan and Freund: what a class offers to others, but not what a thread begins with, which is seldom atomic.
        let begins = matches!(
            (method.name.as_slice(), method.descriptor.as_slice()),
            (b"main", b"([Ljava/lang/String;)V") | (b"run", b"()V")
        );
        let exported = method.access & (flags::PRIVATE | flags::SYNTHETIC | flags::BRIDGE) == 0 && !begins;
        if self.options.blocks == Blocks::ExportSynch && exported {
            return true;
        }
        let member = self.class.methods.get(method.index);
        member.is_some_and(|member| self.class.has_annotation(&member.attributes, b"Atomic"))
    }

    /// A finding names the test that was running.
    fn mark_test(&mut self, method: &mut Method<'a>) -> Result<()> {
        let Some(member) = self.class.methods.get(method.index) else { return Ok(()) };
        if self.options.scope != Scope::Whole || method.name.starts_with(b"<") {
            return Ok(());
        }
        let annotated = || {
            self.class.annotations(&member.attributes).unwrap_or_default().iter().any(|annotation| {
                let name = self.class.pool.utf8(annotation.descriptor).unwrap_or_default();
                let name = name.strip_prefix(b"L").and_then(|name| name.strip_suffix(b";"));
                name.is_some_and(|name| self.models.is_marked(Role::Test, &text::to_str(name)))
            })
        };
        let inherited = || {
            let above = self.class.super_name().ok().flatten().unwrap_or_default();
            let (name, descriptor) = (text::to_str(&method.name), text::to_str(&method.descriptor));
            self.models.is_root(Role::Test, &text::to_str(above), &name, &descriptor)
        };
        if !annotated() && !inherited() {
            return Ok(());
        }
        let name = format!("{}.{}", text::to_str(&self.name).replace('/', "."), text::to_str(&method.name));
        // The name is that of the site; without one, the test is over.
        let (begins, ends) =
            (self.site(method, Kind::Mark, 0, &name)?, self.site(method, Kind::Mark, 0, "")?);
        let (mut begin, mut end) = (Snippet::new(), Snippet::new());
        for (snippet, name, site) in [(&mut begin, name.as_str(), begins), (&mut end, "", ends)] {
            snippet.string(&mut self.class.pool, name)?;
            self.tell(snippet, site, Probe::Mark)?;
        }
        method.entry.append(&begin);
        method.exit.append(&end);
        method.thrown.append(&end);
        Ok(())
    }
}
