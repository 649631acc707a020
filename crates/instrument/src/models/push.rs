//! The code of the probe calls that model lines ask for.

use classfile::{Kind as Moves, Result, Snippet, Type, op};

use super::plan::{Chosen, Form, Number, Part, Source};
use crate::class::Weaving;
use crate::method::{Method, moves, too_many};
use crate::probe::Probe;
use crate::{Called, Callee, Kind, Site};

/// Where the objects and numbers of a call or body are found: in locals.
#[derive(Default)]
pub(crate) struct Places {
    pub this: Option<u16>,
    pub arguments: Vec<Option<Place>>,
    pub result: Option<Place>,
}

/// A local and what it holds.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub moves: Moves,
    pub local: u16,
}

impl Places {
    fn argument(&self, number: u8) -> Option<Place> {
        self.arguments.get(usize::from(number)).copied().flatten()
    }
}

/// What a site says of the call it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'p> {
    pub chosen: Chosen,
    pub callee: Callee<'p>,
    /// Is the receiver a piece of code that is called back? Then the probe sees whose it is: the JDK's own says nothing
    /// about the program.
    pub calls_back: bool,
}

impl<'a> Weaving<'_, 'a> {
    /// The site of a part.
    pub fn part_site(&mut self, method: &mut Method<'a>, part: &Part, choice: Choice<'_>) -> Result<i32> {
        let number = self.method_number(method);
        let Some(first) = part.effects.first() else { return Err(too_many("effects")) };
        // Arguments have fields as well, but a call is mostly about its receiver.
        // Who waits for a condition has that in hand, not its lock.
        let of = match part.form {
            Form::Effect { .. } if matches!(first.kind, Kind::Await | Kind::Awaited) => String::new(),
            Form::Effect { target: Source::This, .. } => method.taken_from(&self.class)?,
            _ => String::new(),
        };
        let site = Site {
            method: number,
            line: method.line(&self.class, method.pc),
            kind: first.kind,
            operand: 0,
            text: &part.text,
            of: &of,
            effects: &part.effects,
            called: match choice.chosen {
                Chosen::Certain => Called::Certain,
                Chosen::Virtual => Called::Virtual(choice.callee),
                Chosen::Special => Called::Special(choice.callee),
            },
            watched: method.accesses,
        };
        self.sites.site(site).map(|number| number as i32).ok_or(too_many("sites"))
    }

    /// Appends the probe call of a part.
    pub fn push_part(
        &mut self,
        to: &mut Snippet,
        method: &mut Method<'a>,
        places: &Places,
        part: &Part,
        choice: Choice<'_>,
    ) -> Result<()> {
        let site = self.part_site(method, part, choice)?;
        match part.form {
            Form::Effect { target, value } => {
                self.push_receiver(to, places, choice)?;
                self.push_object(to, method, places, target)?;
                self.push_long(to, method, places, value)?;
                self.tell(to, site, Probe::Effect)
            }
            Form::Range { array, from, to: end, plus } => {
                self.push_receiver(to, places, choice)?;
                self.push_object(to, method, places, array)?;
                self.push_int(to, method, places, from)?;
                self.push_int(to, method, places, end)?;
                if plus {
                    self.push_int(to, method, places, from)?;
                    to.plain(op::IADD)?;
                }
                self.tell(to, site, Probe::EffectRange)
            }
            Form::Handle { base, other, index, value } => {
                self.push_receiver(to, places, choice)?;
                self.push_object(to, method, places, other)?;
                self.push_object(to, method, places, base)?;
                self.push_int(to, method, places, index)?;
                self.push_long(to, method, places, value)?;
                self.tell(to, site, Probe::EffectHandle)
            }
        }
    }

    /// Appends the receiver if it decides whether the line holds, or if it is called back; else null.
    pub fn push_receiver(&mut self, to: &mut Snippet, places: &Places, choice: Choice<'_>) -> Result<()> {
        match places.this {
            Some(local) if choice.chosen != Chosen::Certain || choice.calls_back => {
                to.load(Moves::Reference, local)
            }
            _ => to.plain(op::ACONST_NULL)?,
        };
        Ok(())
    }

    /// Appends an object; null if there is none.
    pub fn push_object(
        &mut self,
        to: &mut Snippet,
        method: &mut Method<'a>,
        places: &Places,
        source: Source,
    ) -> Result<()> {
        let local = match source {
            Source::Null => None,
            Source::This => places.this,
            Source::Arg(number) => reference(places.argument(number)),
            Source::Coordinate => reference(places.argument(0)),
            Source::Result => reference(places.result),
            Source::Outer => self.outer_this(method)?,
            Source::OuterArg(number) => reference(self.outer_argument(method, number)?),
        };
        match local {
            Some(local) => to.load(Moves::Reference, local),
            None => to.plain(op::ACONST_NULL)?,
        };
        Ok(())
    }

    /// Where `this` of the method is: nowhere in a constructor that may not have called `super` yet.
    pub fn outer_this(&mut self, method: &mut Method<'a>) -> Result<Option<u16>> {
        let early = method.is_constructor()
            && method.initialised_from(&self.class)?.is_none_or(|from| method.pc < from);
        if method.is_static() || early {
            return Ok(None);
        }
        if method.is_constructor() && method.is_stored(0)? {
            return Ok(None);
        }
        method.keep(&mut self.class, 0, Moves::Reference).map(Some)
    }

    /// Where a parameter of the method is.
    pub fn outer_argument(&mut self, method: &mut Method<'a>, number: u8) -> Result<Option<Place>> {
        let found = method.parameter(usize::from(number)).map(|(of, slot)| (moves(of), slot));
        let Some((moves, slot)) = found else { return Ok(None) };
        let local = method.keep(&mut self.class, slot, moves)?;
        Ok(Some(Place { moves, local }))
    }

    fn place(&mut self, method: &mut Method<'a>, places: &Places, number: Number) -> Result<Option<Place>> {
        Ok(match number {
            Number::Arg(number) => places.argument(number),
            Number::OuterArg(number) => self.outer_argument(method, number)?,
            Number::Result => places.result,
            Number::Coordinate => places.argument(1).filter(|place| place.moves == Moves::Int),
            Number::Constant(_) | Number::Difference(..) => None,
        })
    }

    fn push_int(
        &mut self,
        to: &mut Snippet,
        method: &mut Method<'a>,
        places: &Places,
        number: Number,
    ) -> Result<()> {
        if let Number::Difference(a, b) = number {
            self.push_int(to, method, places, Number::Arg(a))?;
            self.push_int(to, method, places, Number::Arg(b))?;
            to.plain(op::ISUB)?;
            return Ok(());
        }
        match self.place(method, places, number)? {
            Some(Place { moves: Moves::Int, local }) => {
                to.load(Moves::Int, local);
            }
            Some(Place { moves: Moves::Long, local }) => {
                to.load(Moves::Long, local).plain(op::L2I)?;
            }
            Some(Place { moves: Moves::Reference, local }) => {
                to.load(Moves::Reference, local);
                self.probes.call(&mut self.class.pool, to, Probe::Bit)?;
                to.plain(op::L2I)?;
            }
            _ => {
                let value = if let Number::Constant(value) = number { value } else { 0 };
                to.int(&mut self.class.pool, value)?;
            }
        }
        Ok(())
    }

    fn push_long(
        &mut self,
        to: &mut Snippet,
        method: &mut Method<'a>,
        places: &Places,
        number: Number,
    ) -> Result<()> {
        match self.place(method, places, number)? {
            Some(Place { moves: Moves::Int, local }) => {
                to.load(Moves::Int, local).plain(op::I2L)?;
            }
            Some(Place { moves: Moves::Long, local }) => {
                to.load(Moves::Long, local);
            }
            Some(Place { moves: Moves::Reference, local }) => {
                to.load(Moves::Reference, local);
                self.probes.call(&mut self.class.pool, to, Probe::Bit)?;
            }
            _ => {
                let value = if let Number::Constant(value) = number { value } else { 0 };
                to.long(&mut self.class.pool, i64::from(value))?;
            }
        }
        Ok(())
    }
}

fn reference(place: Option<Place>) -> Option<u16> {
    place.filter(|place| place.moves == Moves::Reference).map(|place| place.local)
}

/// Copies what is on top of the stack into a local.
pub(crate) fn copy_top(to: &mut Snippet, of: Type<'_>, local: u16) -> Result<Place> {
    let moves = moves(of);
    to.plain(if of.slots() == 2 { op::DUP2 } else { op::DUP })?.store(moves, local);
    Ok(Place { moves, local })
}
