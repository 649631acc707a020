//! Which effect of the model tables happens at a call, and what the probe has to do for it.
//!
//! A site that stands for a model's call may stand for several lines; the receiver's class decides. The probe asks once
//! for each site and class. What an effect is recorded as may depend on more than the site (the kind of a collection,
//! the mode of a stamp), and a record's meaning is its site's: so a site gets siblings, at the same place but of
//! other kinds, as they are needed.

use std::sync::{Mutex, PoisonError};

use events::models::{Access, Action, Base, Condition, Effect, LockMode, Reach, Target, Variable};
use events::session::{Entry, Kind};
use instrument::{Called, EffectRef, Moment};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Agent;
use crate::jvm::{Jni, jclass};

/// What the probe does; the numbers are those of `Effect.java`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Does {
    Plain = 0,
    Stamped = 1,
    Fork = 2,
    Join = 3,
    Uses = 4,
    Enter = 5,
    Exit = 6,
    TrialBegins = 7,
    TrialEnds = 8,
    ReleaseBy = 9,
    ConvertBefore = 10,
    ConvertAfter = 11,
    Part = 12,
    Variable = 13,
    Range = 14,
}

/// A call whose effect is still to be chosen.
#[derive(Clone, Debug)]
struct Choice {
    effects: Vec<EffectRef>,
    /// Owner, name, descriptor, and whether the owner decides and not the receiver; none: all effects hold.
    callee: Option<(String, String, String, bool)>,
    method: u32,
    line: u32,
    text: String,
    of: String,
    watched: bool,
    /// Is it told how threads come there?
    tells: bool,
}

/// All choices, by their numbers from 1, and what was found out about classes.
#[derive(Default)]
pub struct Effects {
    choices: Mutex<Vec<Choice>>,
    /// The names of all that is above each class that was met, itself included.
    above: Mutex<FxHashMap<String, FxHashSet<String>>>,
    siblings: Mutex<FxHashMap<(u32, u8, u32), u32>>,
}

/// What the probe is told of an effect: fields to follow, and numbers.
pub struct Told {
    /// The fields from the object that it has to the one that is meant.
    pub fields: Vec<String>,
    /// See `Effect.java`.
    pub numbers: Vec<i32>,
}

impl Effects {
    /// A new choice, in the JDK or not; its number.
    pub fn add(&self, site: &instrument::Site<'_>, in_the_jdk: bool) -> u32 {
        let callee = match site.called {
            Called::Certain => None,
            Called::Virtual(callee) => Some((callee, false)),
            Called::Special(callee) => Some((callee, true)),
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let choice = Choice {
            effects: site.effects.to_vec(),
            callee: callee.map(|(callee, special)| {
                (text(callee.owner), text(callee.name), text(callee.descriptor), special)
            }),
            method: site.method,
            line: u32::from(site.line),
            text: site.text.to_owned(),
            of: site.of.to_owned(),
            watched: site.watched,
            tells: !in_the_jdk,
        };
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        choices.push(choice);
        choices.len() as u32
    }
}

impl Agent {
    /// What happens at a site for receivers of a class; no class: the lines hold for all.
    pub fn effects_at(&self, jni: Jni, site: u32, class: jclass) -> Vec<Told> {
        let number = self.sites.choice(site) as usize;
        let choice = {
            let choices = self.effects.choices.lock().unwrap_or_else(PoisonError::into_inner);
            match choices.get(number.wrapping_sub(1)) {
                Some(choice) => choice.clone(),
                None => return Vec::new(),
            }
        };
        let models = &self.hook.models;
        let chosen: Option<Vec<&events::models::Line>> = match &choice.callee {
            Some((owner, name, descriptor, special)) if !class.is_null() => {
                self.above(jni, class);
                let of = if *special { owner.clone() } else { self.name_of(class) };
                let above = self.effects.above.lock().unwrap_or_else(PoisonError::into_inner);
                let is_below =
                    |a: &str, b: &str| a == b || above.get(a).is_some_and(|above| above.contains(b));
                Some(models.call_on(name, descriptor, &of, is_below))
            }
            // Code that is called back: what the JDK hands to itself says nothing about the program.
            None if !class.is_null() && self.jvmti.loader(class).is_none_or(|loader| loader.is_null()) => {
                return Vec::new();
            }
            _ => None,
        };
        let mut told = Vec::new();
        for effect in &choice.effects {
            let Some(line) = models.lines().get(effect.line as usize) else { continue };
            if chosen.as_ref().is_some_and(|chosen| !chosen.iter().any(|chosen| std::ptr::eq(*chosen, line)))
            {
                continue;
            }
            let Some(what) = line.effects.get(usize::from(effect.effect)) else { continue };
            told.extend(self.tell(site, &choice, *effect, what));
        }
        told
    }

    fn tell(&self, site: u32, choice: &Choice, of: EffectRef, effect: &Effect) -> Option<Told> {
        let sibling = |kind: Kind| self.sibling(site, kind, 0, 0, choice);
        let mut sites = [0; 6];
        let mut flags = 0;
        let before = of.moment == Moment::Before;
        let (does, target): (Does, Option<&Target>) = match &effect.action {
            Action::Acquire { lock, mode: LockMode::Optimistic } => (Does::TrialBegins, Some(lock)),
            Action::Release { lock, mode: LockMode::Optimistic } => (Does::TrialEnds, Some(lock)),
            Action::Release { lock, mode: LockMode::Stamp(_) } => {
                sites = [0, 0, sibling(Kind::Release), sibling(Kind::ReleaseRead), 0, 0];
                (Does::ReleaseBy, Some(lock))
            }
            Action::Acquire { lock, .. } | Action::Release { lock, .. } | Action::Wait { lock } => {
                sites[0] = sibling(of.kind);
                (Does::Stamped, Some(lock))
            }
            Action::Convert { lock, to, .. } => {
                flags = match to {
                    None => 0,
                    Some(LockMode::Read) => 2,
                    Some(_) => 1,
                };
                sites = [
                    sibling(Kind::Acquire),
                    sibling(Kind::AcquireRead),
                    sibling(Kind::Release),
                    sibling(Kind::ReleaseRead),
                    sibling(Kind::Convert),
                    0,
                ];
                (if before { Does::ConvertBefore } else { Does::ConvertAfter }, Some(lock))
            }
            Action::Locks { lock } => {
                sites[0] = sibling(of.kind);
                (if before { Does::Enter } else { Does::Exit }, Some(lock))
            }
            Action::Signal(channel) | Action::Observe(channel) => {
                sites[0] = sibling(of.kind);
                (Does::Stamped, Some(&channel.object))
            }
            Action::Fork(target) | Action::Join(target) => {
                sites[0] = sibling(of.kind);
                (if of.kind == Kind::Fork { Does::Fork } else { Does::Join }, Some(target))
            }
            Action::Volatile { variable: Variable::Object(target), .. } => {
                sites[0] = sibling(of.kind);
                (Does::Stamped, Some(target))
            }
            Action::Plain { variable: Variable::Object(target), .. } => {
                sites[0] = sibling(of.kind);
                (Does::Plain, Some(target))
            }
            Action::Volatile { variable, .. } | Action::Plain { variable, .. } => {
                sites[0] = sibling(of.kind);
                flags = match variable {
                    Variable::Object(_) | Variable::Element(..) => 0,
                    Variable::Handle(_) => 1,
                    Variable::Field { .. } => 2,
                    Variable::Memory { .. } => 3,
                };
                (Does::Variable, None)
            }
            Action::Elements { array, access, .. } => {
                sites[0] = sibling(if *access == Access::Write { Kind::RangeWrite } else { Kind::RangeRead });
                (Does::Range, Some(array))
            }
            Action::Uses { target, mutates, held } => {
                flags = i32::from(*mutates) | i32::from(*held) << 1 | i32::from(choice.watched) << 2;
                sites = [
                    sibling(if *mutates { Kind::ObjectWrite } else { Kind::ObjectRead }),
                    sibling(Kind::Signal),
                    sibling(Kind::Observe),
                    sibling(Kind::Enter),
                    sibling(Kind::Exit),
                    0,
                ];
                (Does::Uses, Some(target))
            }
            Action::Part { .. } => (Does::Part, None),
            Action::Runs { .. } => return None,
        };
        let result = match effect.condition {
            Condition::Always | Condition::Ended => 0,
            Condition::True | Condition::Nonzero | Condition::Nonnull => 1,
            Condition::False | Condition::Zero | Condition::Null => 2,
            Condition::Positive => 3,
        };
        // The part of an update that takes place anyway is its read: only the write depends on the result.
        let is_update = matches!(of.kind, Kind::UpdateRead | Kind::UpdateWrite);
        if is_update {
            flags |= result << 8;
        }
        let condition = if of.moment == Moment::After && !is_update { result } else { 0 };
        let reach = match target.map(|target| target.reach) {
            None | Some(Reach::Itself) => 0,
            Some(Reach::Whole) => 1,
            Some(Reach::Last) => 2,
            Some(Reach::Each) => 3,
        };
        let part = match &effect.action {
            Action::Part { part, .. } => Some(part),
            _ => target,
        };
        let base = match part.map(|target| target.base) {
            Some(Base::Thread) => 1,
            Some(Base::Class) => 2,
            _ => 0,
        };
        let moment = match of.moment {
            Moment::Before => 0,
            Moment::After => 1,
            Moment::Thrown => 2,
        };
        let mut numbers = vec![does as i32, reach, condition, base, moment, flags, i32::from(choice.tells)];
        numbers.extend(sites.map(|site: u32| site as i32));
        let fields = target.map(|target| target.fields.iter().map(ToString::to_string).collect());
        Some(Told { fields: fields.unwrap_or_default(), numbers })
    }

    /// A site at the same place that does something else, perhaps to another field: `which` tells it from others of its
    /// kind.
    fn sibling(&self, site: u32, kind: Kind, which: u32, field: u32, choice: &Choice) -> u32 {
        let mut siblings = self.effects.siblings.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (site, kind.number(), which);
        if let Some(&sibling) = siblings.get(&key) {
            return sibling;
        }
        let Some(number) = self.sites.add(kind, 0, self.sites.choice(site)) else { return 0 };
        let mut entry = Vec::new();
        Entry::Site {
            number,
            method: choice.method,
            line: choice.line,
            kind: kind.number(),
            operand: field,
            text: choice.text.clone(),
            // A field has a name of its own.
            of: if field == 0 { choice.of.clone() } else { String::new() },
        }
        .encode(&mut entry);
        self.session.names(&entry);
        siblings.insert(key, number);
        number
    }

    /// The sibling of a site for elements of an array of this class (as people write it) that a handle leads to.
    pub fn site_for_element(&self, site: u32, class: u32, array: String) -> u32 {
        let kind = match Kind::of(self.sites.kind(site)) {
            Some(Kind::Read) => Kind::ArrayRead,
            Some(Kind::Write) => Kind::ArrayWrite,
            _ => return site,
        };
        let number = self.sites.choice(site) as usize;
        let choice = {
            let choices = self.effects.choices.lock().unwrap_or_else(PoisonError::into_inner);
            choices.get(number.wrapping_sub(1)).cloned()
        };
        let Some(choice) = choice else { return site };
        self.sibling(site, kind, class, 0, &Choice { text: array, ..choice })
    }

    /// The sibling of a site for a field that a handle leads to.
    pub fn site_for_field(&self, site: u32, field: u32) -> u32 {
        let Some(kind) = Kind::of(self.sites.kind(site)) else { return site };
        let number = self.sites.choice(site) as usize;
        let choice = {
            let choices = self.effects.choices.lock().unwrap_or_else(PoisonError::into_inner);
            choices.get(number.wrapping_sub(1)).cloned()
        };
        choice.map_or(site, |choice| self.sibling(site, kind, field, field, &choice))
    }

    fn name_of(&self, class: jclass) -> String {
        let signature = self.jvmti.signature(class).unwrap_or_default();
        match signature.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) {
            Some(name) => name.to_owned(),
            None => signature,
        }
    }

    /// Finds out what is above a class, and above that. Classes of one name are taken for one.
    fn above(&self, jni: Jni, class: jclass) -> FxHashSet<String> {
        let name = self.name_of(class);
        let lock = || self.effects.above.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&name) {
            return known.clone();
        }
        let mut names = FxHashSet::from_iter([name.clone()]);
        let direct = jni.superclass(class).into_iter().chain(self.jvmti.interfaces(class));
        for above in direct {
            names.extend(self.above(jni, above));
        }
        lock().insert(name, names.clone());
        names
    }

    /// The kind of a collection class as a number, and the fields that lead to what it stands for and to its mutex.
    pub fn kind_of(&self, jni: Jni, class: jclass) -> (i32, Vec<String>, Vec<String>) {
        let mut at = Some(class);
        while let Some(class) = at {
            if let Some(kind) = self.hook.models.kind(&self.name_of(class)) {
                let path = |target: &Option<Target>| {
                    let fields = target.iter().flat_map(|target| target.fields.iter());
                    fields.map(ToString::to_string).collect()
                };
                return (kind.word as i32 + 1, path(&kind.of), path(&kind.mutex));
            }
            at = jni.superclass(class);
        }
        (0, Vec::new(), Vec::new())
    }
}
