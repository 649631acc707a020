//! Reads and writes of fields. A field of the class itself is told by its accessor or, if it is volatile, by the probe;
//! one of another class by a call site that is linked when it is first run, since only then is known what it is.

use classfile::{Kind as Moves, Result, Snippet, Type, flags, op};

use crate::class::Weaving;
use crate::links::Link;
use crate::members::KEEPING;
use crate::method::Method;
use crate::probe::Probe;
use crate::{Kind, Spared, settled};

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
    /// By accessors: the calls of both, among those that `Own` keeps; and the shadow word that they look at, if there is one.
    Shadow { read: usize, update: usize, word: Option<(u16, i32)> },
    /// Volatile.
    Volatile,
    /// Linked when run: class constant of the owner, string constant `name:descriptor`. Known not to be volatile?
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
        if !method.accesses && matches!(usage.how, How::Shadow { .. } | How::Any) {
            return Ok(());
        }
        // Shadow words are for fields of the class itself.
        if self.own.keeping >= KEEPING && matches!(usage.how, How::Shadow { .. }) && method.is_kept_here() {
            method.spares(Spared::Kept);
            return Ok(());
        }
        let planned = matches!(opcode, op::GETFIELD | op::PUTFIELD) && method.is_planned_here();
        if planned && matches!(usage.how, How::Shadow { .. } | How::Linked { .. }) {
            method.spares(Spared::Plan);
            if matches!(usage.how, How::Shadow { .. }) {
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

    /// Tells the read of a field at the current instruction each time. Where it has a shadow word, that is all that is told of it,
    /// and the word learns of it; else it is told besides what else is told.
    pub fn read_always(&mut self, method: &mut Method<'a>, is_static: bool, member: u16) -> Result<()> {
        let Some(Some(usage)) = self.fields.get(usize::from(member)).copied() else { return Ok(()) };
        // Final fields have no stale values; volatile ones and those without anything to look at are always told.
        if !matches!(usage.how, How::Shadow { .. } | How::Linked { .. }) {
            return Ok(());
        }
        let (mut before, mut after) = (Snippet::new(), Snippet::new());
        let site = self.site(method, Kind::Read, usage.number, "")?;
        // The first of these locals may be in use by what else is told.
        let receiver = if is_static { None } else { Some(method.spare(Moves::Reference, 1)?) };
        if let Some(local) = receiver {
            before.plain(op::DUP)?.store(Moves::Reference, local);
        }
        let load = |to: &mut Snippet| -> Result<()> {
            match receiver {
                Some(local) => drop(to.load(Moves::Reference, local)),
                None => drop(to.plain(op::ACONST_NULL)?),
            }
            Ok(())
        };
        match usage.how {
            How::Linked { owner, field, .. } => {
                receiver.map(|local| after.load(Moves::Reference, local));
                self.link(&mut after, b"f", member, is_static, (owner, field, site))?;
            }
            // `o.shadow = Probe.read(o, o.shadow, site, shift)`, as the accessor has it, but without looking first.
            How::Shadow { word: Some((shadow, shift)), .. } => {
                let (get, put) =
                    if is_static { (op::GETSTATIC, op::PUTSTATIC) } else { (op::GETFIELD, op::PUTFIELD) };
                if !is_static {
                    load(&mut after)?;
                }
                load(&mut after)?;
                if !is_static {
                    load(&mut after)?;
                }
                after.field_at(get, shadow, b"J")?.int(&mut self.class.pool, site)?;
                after.int(&mut self.class.pool, shift)?;
                self.probes.call(&mut self.class.pool, &mut after, Probe::Read)?;
                after.field_at(put, shadow, b"J")?;
            }
            _ => {
                load(&mut after)?;
                self.tell(&mut after, site, Probe::ReadAlways)?;
            }
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
            Some(own) => match own.accessors {
                Some((read, update)) => How::Shadow { read, update, word: own.word },
                None => How::Any,
            },
            None if known.is_some_and(|known| known & flags::VOLATILE != 0) => How::Volatile,
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

    /// Appends a linked call; the receiver, if there is one, is on the stack.
    fn link(
        &mut self,
        to: &mut Snippet,
        name: &'static [u8],
        member: u16,
        is_static: bool,
        (owner, field, site): (u16, u16, i32),
    ) -> Result<()> {
        let descriptor = if is_static {
            b"()V".to_vec()
        } else {
            let class = self.class.pool.member_ref(member)?.owner;
            [b"(L", class, b";)V"].concat()
        };
        let link = Link { name, descriptor: &descriptor, owner, field, site };
        self.links.call(&mut self.class, &mut self.probes, to, &link)
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
        let is_told_after = matches!(usage.how, How::Volatile | How::Any | How::Linked { .. });
        let receiver =
            if is_static || !is_told_after { None } else { Some(method.spare(Moves::Reference, 0)?) };
        let receiver_after = |before: &mut Snippet, after: &mut Snippet, or_null: bool| -> Result<()> {
            if let Some(local) = receiver {
                before.plain(op::DUP)?.store(Moves::Reference, local);
                after.load(Moves::Reference, local);
            } else if or_null {
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
            How::Shadow { word: Some(_), .. } if method.is_told_always_here() => return Ok(()),
            How::Shadow { read, .. } => {
                let site = self.site(method, Kind::Read, usage.number, "")?;
                if !is_static {
                    before.plain(op::DUP)?;
                }
                before.int(&mut self.class.pool, site)?;
                self.own.calls.get(read).map(|call| before.append(call));
            }
            How::Volatile => {
                receiver_after(&mut before, &mut after, true)?;
                let site = self.site(method, Kind::VolatileRead, usage.number, "")?;
                self.tell(&mut after, site, Probe::VolatileRead)?;
            }
            How::Any => {
                // After the read: that is right for plain fields and for volatile ones.
                receiver_after(&mut before, &mut after, true)?;
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.tell(&mut after, site, Probe::ReadAny)?;
            }
            How::Linked { plain: true, .. } if !told => return Ok(()),
            How::Linked { owner, field, .. } => {
                // After the read, since the field may turn out to be volatile, and a static one's class may have had to be
                // initialised by another thread. `a`: nothing is to be told unless it is volatile.
                receiver_after(&mut before, &mut after, false)?;
                let name: &'static [u8] = match told {
                    true if method.is_kept_here() => b"R",
                    true if method.is_kept_here_if_blank() => b"Rb",
                    true => b"r",
                    false => b"a",
                };
                let site = self.site(method, Kind::Read, usage.number, "")?;
                self.link(&mut after, name, member, is_static, (owner, field, site))?;
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
            How::Shadow { update, .. } => {
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
            How::Linked { plain: true, .. } if !told => return Ok(()),
            How::Linked { owner, field, .. } => {
                // `v`: nothing is to be told unless the field is volatile.
                let name: &'static [u8] = match told {
                    true if method.is_kept_here() => b"U",
                    true if method.is_kept_here_if_blank() => b"Ub",
                    true => b"u",
                    false => b"v",
                };
                let site = self.site(method, Kind::Write, usage.number, "")?;
                self.link(&mut before, name, member, is_static, (owner, field, site))?;
            }
        }
        method.edit.before(method.pc, &before);
        Ok(())
    }
}
