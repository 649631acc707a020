//! Reads and writes of fields. A plain field of objects is told by the probe, which keeps in a table what it has found out
//! about the access when it was first run; of another class's field, whether it is volatile is only known then. A static
//! field of the class itself is told by its accessor, one of another class by a call site that is linked when it is first run.

use classfile::{Kind as Moves, Result, Snippet, Type, flags, op};

use crate::class::Weaving;
use crate::links::Link;
use crate::members::{Accessors, KEEPING, OwnTold};
use crate::method::Method;
use crate::probe::Probe;
use crate::{Kind, OtherField, Place, Spared, When, settled};

/// How accesses to a field are told.
#[derive(Clone, Copy)]
pub(crate) struct FieldUse {
    how: How,
    /// As numbered by the caller.
    number: u32,
    /// Is it a long or double?
    wide: bool,
}

#[derive(Clone, Copy)]
enum How {
    /// Not at all.
    Not,
    /// Not at all: it is final, and nobody sees it before its constructor has ended.
    Settled,
    /// A static final field that leads to other data: that the class was initialised before is told.
    Initialised,
    /// Static, by accessors.
    Accessors(Accessors),
    /// Of an object of the class itself, which keeps here what is known of it.
    Own(Place),
    /// Volatile.
    Volatile,
    /// Of an object of another class. Known not to be volatile?
    Other { plain: bool },
    /// Static, linked when run: class constant of the owner, string constant `name:descriptor`. Known not to be volatile?
    Linked { owner: u16, field: u16, plain: bool },
    /// Without anything to look at first.
    Any,
}

impl<'a> Weaving<'_, 'a> {
    pub fn field(&mut self, method: &mut Method<'a>, opcode: u8, member: u16) -> Result<()> {
        let usage = match self.fields.get(usize::from(member)) {
            Some(Some(usage)) => *usage,
            _ => {
                let is_static = matches!(opcode, op::GETSTATIC | op::PUTSTATIC);
                let usage = self.look_up_field(member, is_static)?;
                if let Some(place) = self.fields.get_mut(usize::from(member)) {
                    *place = Some(usage);
                }
                usage
            }
        };
        let own = matches!(usage.how, How::Own(_));
        if !method.accesses && (own || matches!(usage.how, How::Accessors(_) | How::Any)) {
            return Ok(());
        }
        if self.own.keeping >= KEEPING && own && method.is_kept_here() {
            method.spares(Spared::Kept);
            return Ok(());
        }
        let planned = matches!(opcode, op::GETFIELD | op::PUTFIELD) && method.is_planned_here();
        if planned && (own || matches!(usage.how, How::Other { .. })) {
            method.spares(Spared::Plan);
            if own {
                return Ok(());
            }
        }
        let told = method.accesses && !planned;
        match opcode {
            _ if matches!(usage.how, How::Not) => Ok(()),
            _ if matches!(usage.how, How::Settled) => {
                method.spares(Spared::Final);
                Ok(())
            }
            op::PUTSTATIC if matches!(usage.how, How::Initialised) => Ok(()),
            op::GETFIELD | op::GETSTATIC => {
                self.field_read(method, opcode == op::GETSTATIC, member, usage, told)
            }
            op::PUTFIELD if method.is_early_put(&self.class)? => Ok(()),
            _ => self.field_write(method, opcode == op::PUTSTATIC, member, usage, told),
        }
    }

    /// Tells the read of a field at the current instruction each time. Where the class itself has a shadow word for it, that is
    /// all that is told of it, and the word learns of it; else it is told besides what else is told.
    pub fn read_always(&mut self, method: &mut Method<'a>, is_static: bool, member: u16) -> Result<()> {
        let Some(Some(usage)) = self.fields.get(usize::from(member)).copied() else { return Ok(()) };
        // Final fields have no stale values; volatile ones and those without anything to look at are always told.
        if !matches!(usage.how, How::Own(_) | How::Accessors(_) | How::Other { .. } | How::Linked { .. }) {
            return Ok(());
        }
        let (mut before, mut after) = (Snippet::new(), Snippet::new());
        let site = self.site(method, Kind::Read, usage.number, "")?;
        if !is_static {
            // The first of these locals may be in use by what else is told.
            let local = method.spare(Moves::Reference, 1)?;
            before.plain(op::DUP)?.store(Moves::Reference, local);
            after.load(Moves::Reference, local);
        }
        match usage.how {
            How::Linked { owner, field, .. } => self.link(&mut after, b"f", (owner, field, site))?,
            How::Other { .. } => self.other(&mut after, member, site, When::Always, Probe::ReadField)?,
            How::Own(place @ Place::Word { .. }) => {
                self.sites.own(site as u32, place, true);
                self.tell(&mut after, site, Probe::ReadField)?;
            }
            // `shadow = Probe.read(null, shadow, site, shift)`, as the accessor has it, but without looking first.
            How::Accessors(Accessors { shadow, shift, .. }) => {
                after.plain(op::ACONST_NULL)?;
                after.field_at(op::GETSTATIC, shadow, b"J")?.int(&mut self.class.pool, site)?;
                after.int(&mut self.class.pool, shift)?;
                self.probes.call(&mut self.class.pool, &mut after, Probe::Read)?;
                after.field_at(op::PUTSTATIC, shadow, b"J")?;
            }
            _ => self.tell(&mut after, site, Probe::ReadAlways)?,
        }
        method.edit.before(method.pc, &before);
        method.edit.after(method.pc, &after);
        Ok(())
    }

    fn look_up_field(&mut self, member: u16, is_static: bool) -> Result<FieldUse> {
        let found = self.class.pool.member_ref(member)?;
        let wide = Type::parse(found.descriptor).is_some_and(|of| of.slots() == 2);
        let own = if found.owner == self.name { self.own.get(found.name, found.descriptor) } else { None };
        let known = match own {
            Some(own) => Some(own.flags),
            None => self.world.field_flags(found.owner, found.name, found.descriptor),
        };
        if known.is_some_and(|known| {
            let fixed = flags::FINAL | flags::SYNTHETIC;
            known & flags::STATIC != 0 && known & fixed != 0 && known & flags::VOLATILE == 0
        }) {
            let leads_on = matches!(found.descriptor.first(), Some(b'L' | b'['));
            let how = if own.is_some() && leads_on { How::Initialised } else { How::Not };
            return Ok(FieldUse { how, number: 0, wide });
        }
        if own.is_some_and(|own| own.settled) {
            return Ok(FieldUse { how: How::Settled, number: 0, wide });
        }
        // What the JDK shows of its statics is final, and its classes are not woven.
        if own.is_none() && is_static && settled::is_jdk_name(found.owner) {
            return Ok(FieldUse { how: How::Not, number: 0, wide });
        }
        let number = self.sites.field(found.owner, found.name, found.descriptor, known);
        let how = match own {
            Some(own) if own.flags & flags::VOLATILE != 0 => How::Volatile,
            Some(own) => match own.told {
                OwnTold::Accessors(accessors) => How::Accessors(accessors),
                OwnTold::Place(place) => How::Own(place),
                OwnTold::Any => How::Any,
            },
            None if known.is_some_and(|known| known & flags::VOLATILE != 0) => How::Volatile,
            None if !is_static => How::Other { plain: known.is_some() },
            None if !self.has_dynamic_calls() => How::Any,
            None => {
                let text = [found.name, b":", found.descriptor].concat();
                let owner = found.owner.to_vec();
                let owner = self.class.pool.add_class(&owner)?;
                let field = self.class.pool.add_string(&text)?;
                How::Linked { owner, field, plain: known.is_some() }
            }
        };
        Ok(FieldUse { how, number, wide })
    }

    /// Appends a linked call.
    fn link(
        &mut self,
        to: &mut Snippet,
        name: &'static [u8],
        (owner, field, site): (u16, u16, i32),
    ) -> Result<()> {
        let link = Link { name, descriptor: b"()V", owner, field, site };
        self.links.call(&mut self.class, &mut self.probes, to, &link)
    }

    /// Tells an access to a field of an object of another class, which is on the stack.
    fn other(&mut self, to: &mut Snippet, member: u16, site: i32, when: When, probe: Probe) -> Result<()> {
        let named = self.class.pool.member_ref(member)?;
        let field = OtherField { owner: named.owner, name: named.name, descriptor: named.descriptor, when };
        self.sites.other(site as u32, field);
        self.tell(to, site, probe)
    }

    /// When an access to a field of another class is told.
    fn when(method: &Method<'a>, told: bool) -> When {
        match told {
            true if method.is_kept_here() => When::Kept,
            true if method.is_kept_here_if_blank() => When::KeptIfBlank,
            true => When::Watched,
            false => When::Volatile,
        }
    }

    fn field_read(
        &mut self,
        method: &mut Method<'a>,
        is_static: bool,
        member: u16,
        usage: FieldUse,
        told: bool,
    ) -> Result<()> {
        let (mut before, mut after) = (Snippet::new(), Snippet::new());
        // What takes the receiver after the read finds it in a local.
        let is_told_after = matches!(usage.how, How::Volatile | How::Any | How::Other { .. });
        let receiver =
            if is_static || !is_told_after { None } else { Some(method.spare(Moves::Reference, 0)?) };
        let receiver_after = |before: &mut Snippet, after: &mut Snippet| -> Result<()> {
            if let Some(local) = receiver {
                before.plain(op::DUP)?.store(Moves::Reference, local);
                after.load(Moves::Reference, local);
            } else {
                after.plain(op::ACONST_NULL)?;
            }
            Ok(())
        };
        match usage.how {
            How::Not | How::Settled => {}
            How::Initialised => {
                let site = self.site(method, Kind::Uses, 0, "")?;
                self.tell(&mut before, site, Probe::Uses)?;
            }
            // See `read_always`.
            How::Own(Place::Word { .. }) | How::Accessors(_) if method.is_told_always_here() => return Ok(()),
            How::Own(place) => {
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.sites.own(site as u32, place, false);
                before.plain(op::DUP)?;
                self.tell(&mut before, site, Probe::ReadField)?;
            }
            How::Accessors(Accessors { read, .. }) => {
                let site = self.site(method, Kind::Read, usage.number, "")?;
                before.int(&mut self.class.pool, site)?;
                self.own.calls.get(read).map(|call| before.append(call));
            }
            How::Volatile => {
                receiver_after(&mut before, &mut after)?;
                let site = self.site(method, Kind::VolatileRead, usage.number, "")?;
                self.tell(&mut after, site, Probe::VolatileRead)?;
            }
            How::Any => {
                // After the read: that is right for plain fields and for volatile ones.
                receiver_after(&mut before, &mut after)?;
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.tell(&mut after, site, Probe::ReadAny)?;
            }
            How::Other { plain: true } | How::Linked { plain: true, .. } if !told => return Ok(()),
            How::Other { .. } => {
                // After the read, since the field may turn out to be volatile.
                receiver_after(&mut before, &mut after)?;
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.other(&mut after, member, site, Self::when(method, told), Probe::ReadField)?;
            }
            How::Linked { owner, field, .. } => {
                // After the read, since the field may turn out to be volatile, and its class may have had to be
                // initialised by another thread. `a`: nothing is to be told unless it is volatile.
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.link(&mut after, if told { b"r" } else { b"a" }, (owner, field, site))?;
            }
        }
        method.edit.before(method.pc, &before);
        method.edit.after(method.pc, &after);
        Ok(())
    }

    fn field_write(
        &mut self,
        method: &mut Method<'a>,
        is_static: bool,
        member: u16,
        usage: FieldUse,
        told: bool,
    ) -> Result<()> {
        let mut before = Snippet::new();
        if is_static {
            if matches!(usage.how, How::Volatile | How::Any) {
                before.plain(op::ACONST_NULL)?;
            }
        } else if usage.wide {
            before.plains(&[op::DUP2_X1, op::POP2, op::DUP_X2])?;
        } else {
            before.plains(&[op::DUP2, op::POP])?;
        }
        match usage.how {
            How::Not | How::Settled | How::Initialised => return Ok(()),
            How::Own(place) => {
                let site = self.site(method, Kind::Write, usage.number, "")?;
                self.sites.own(site as u32, place, false);
                self.tell(&mut before, site, Probe::WriteField)?;
            }
            How::Accessors(Accessors { update, .. }) => {
                let site = self.site(method, Kind::Write, usage.number, "")?;
                before.int(&mut self.class.pool, site)?;
                self.own.calls.get(update).map(|call| before.append(call));
            }
            How::Volatile => {
                let site = self.site(method, Kind::VolatileWrite, usage.number, "")?;
                self.tell(&mut before, site, Probe::VolatileWrite)?;
            }
            How::Any => {
                let site = self.site(method, Kind::Write, usage.number, "")?;
                self.tell(&mut before, site, Probe::WriteAny)?;
            }
            How::Other { plain: true } | How::Linked { plain: true, .. } if !told => return Ok(()),
            How::Other { .. } => {
                let site = self.site(method, Kind::Write, usage.number, "")?;
                self.other(&mut before, member, site, Self::when(method, told), Probe::WriteField)?;
            }
            How::Linked { owner, field, .. } => {
                // `v`: nothing is to be told unless the field is volatile.
                let site = self.site(method, Kind::Write, usage.number, "")?;
                self.link(&mut before, if told { b"u" } else { b"v" }, (owner, field, site))?;
            }
        }
        method.edit.before(method.pc, &before);
        Ok(())
    }
}
