//! Lines of the model tables against the facts of one JDK. Knows neither files nor processes.

use std::collections::BTreeSet;

use events::models::{
    Action, Base, Condition, Effect, Kind, KindWord, Line, Mark, Method, Models, Placement, Target, When,
};

use super::facts::{self, Facts, PROTECTED, PUBLIC, STATIC, SYNTHETIC};

/// What came out.
#[derive(Default)]
pub struct Checked {
    /// Lines that hold.
    pub lines: usize,
    /// Kinds that hold.
    pub kinds: usize,
    /// Lines and kinds of packages that this JDK does not have.
    pub absent: usize,
    /// What does not hold, with its place.
    pub problems: Vec<String>,
    /// Methods that nothing speaks of.
    pub omissions: BTreeSet<String>,
}

/// The check of one JDK.
pub struct Check<'a> {
    models: &'a Models,
    facts: &'a Facts,
}

/// A method as the JDK has it, with the class that declares it.
type Found<'a> = (&'a str, &'a facts::Method);

impl<'a> Check<'a> {
    /// A check of these tables on that JDK.
    pub fn new(models: &'a Models, facts: &'a Facts) -> Self {
        Self { models, facts }
    }

    /// Looks at everything.
    pub fn run(&self) -> Checked {
        let mut checked = Checked::default();
        let version = self.facts.version;
        for line in self.models.lines().iter().filter(|line| line.jdk.contains(version)) {
            let place = format!("{}:{}", self.models.file(line.source), line.source.line);
            if self.facts.absent.contains(&*line.class) {
                checked.absent += 1;
                continue;
            }
            match self.line(line) {
                Ok(()) => checked.lines += 1,
                Err(reason) => {
                    checked.problems.push(format!("{place}: {}: `{line}`: {reason}", dotted(&line.class)))
                }
            }
        }
        for kind in self.models.kinds().iter().filter(|kind| kind.jdk.contains(version)) {
            let place = format!("{}:{}", self.models.file(kind.source), kind.source.line);
            if self.facts.absent.contains(&*kind.class) {
                checked.absent += 1;
                continue;
            }
            match self.kind(kind) {
                Ok(()) => checked.kinds += 1,
                Err(reason) => checked.problems.push(format!("{place}: `{kind}`: {reason}")),
            }
        }
        for root in self.models.roots() {
            if let Mark::Method(class, method) = &root.mark
                && !self.facts.absent.contains(&**class)
                && !class.starts_with('*')
                && self.facts.classes.get(&**class).is_none_or(|class| {
                    !class.methods.is_empty()
                        && !class.methods.iter().any(|m| method.matches(&m.name, &m.descriptor))
                })
            {
                let place = format!("{}:{}", self.models.file(root.source), root.source.line);
                checked.problems.push(format!("{place}: `{root}`: there is no such class or method"));
            }
        }
        self.omissions(&mut checked.omissions);
        checked
    }

    fn line(&self, line: &Line) -> Result<(), String> {
        let Some(class) = self.facts.classes.get(&*line.class) else {
            return Err("there is no such class".to_owned());
        };
        let own = |method: &&facts::Method| line.method.matches(&method.name, &method.descriptor);
        match &line.placement {
            Placement::Call => {
                let found = self.methods(&line.class, &line.method);
                if found.is_empty() {
                    return Err("there is no such method".to_owned());
                }
                self.effects(line, &line.class, &found)
            }
            Placement::Body => {
                let found: Vec<Found> =
                    class.methods.iter().filter(own).map(|method| (&*line.class, method)).collect();
                if found.is_empty() {
                    return Err("the class itself declares no such method".to_owned());
                }
                if let Some((_, method)) = found.iter().find(|(_, method)| !method.code) {
                    return Err(format!("{}{} has no body", method.name, method.descriptor));
                }
                self.effects(line, &line.class, &found)
            }
            Placement::Inside { owner, callee } => {
                let holders: Vec<&facts::Method> = class.methods.iter().filter(own).collect();
                if holders.is_empty() {
                    return Err("the class itself declares no such method".to_owned());
                }
                let calls = |method: &&&facts::Method| {
                    method
                        .calls
                        .iter()
                        .any(|(of, name, descriptor)| *of == **owner && callee.matches(name, descriptor))
                };
                let calling: Vec<&&facts::Method> = holders.iter().filter(calls).collect();
                if calling.is_empty() {
                    return Err("it makes no such call".to_owned());
                }
                let outer = uses(line, Base::Outer);
                if outer
                    && &*line.method.name != "*"
                    && calling.iter().any(|method| method.flags & STATIC != 0)
                {
                    return Err("`outer` of a static method".to_owned());
                }
                self.effects(line, owner, &self.methods(owner, callee))
            }
        }
    }

    /// Methods of a class or inherited by it; constructors are not inherited.
    fn methods(&self, class: &str, wanted: &Method) -> Vec<Found<'a>> {
        let mut found = Vec::new();
        for (name, declaring) in self.facts.line_of(class) {
            if &*wanted.name == "<init>" && name != class {
                continue;
            }
            for method in &declaring.methods {
                let polymorphic = method.is_polymorphic(name) && method.name == *wanted.name;
                if polymorphic || wanted.matches(&method.name, &method.descriptor) {
                    found.push((name, method));
                }
            }
        }
        found
    }

    fn effects(&self, line: &Line, owner: &str, found: &[Found]) -> Result<(), String> {
        for effect in &line.effects {
            let mut problem = None;
            effect.action.targets(&mut |target| {
                problem = problem.take().or_else(|| self.target(target, &line.class, owner, found).err());
            });
            if let Some(problem) = problem {
                return Err(problem);
            }
            let looks = !matches!(effect.condition, Condition::Always | Condition::Ended);
            for (_, method) in found.iter().filter(|_| looks) {
                fits(effect.condition, method)?;
            }
            // An interface or abstract method may be overridden; a conditional update needs no more than a boolean.
            if let Action::Volatile { .. } = effect.action
                && effect.when == When::Thrown
            {
                return Err("a variable is not accessed by a call that throws".to_owned());
            }
        }
        Ok(())
    }

    fn target(&self, target: &Target, class: &str, owner: &str, found: &[Found]) -> Result<(), String> {
        let start: Option<String> = match target.base {
            Base::This => {
                if let Some((_, method)) = found.iter().find(|(_, method)| method.flags & STATIC != 0) {
                    return Err(format!("`this` of the static method {}{}", method.name, method.descriptor));
                }
                Some(owner.to_owned())
            }
            Base::Result => {
                if let Some((_, method)) = found.iter().find(|(_, method)| method.descriptor.ends_with(")V"))
                {
                    return Err(format!("`result` of the void method {}{}", method.name, method.descriptor));
                }
                None
            }
            Base::Outer => Some(class.to_owned()),
            Base::Thread => Some("java/lang/Thread".to_owned()),
            Base::Arg(_) | Base::OuterArg(_) | Base::Class => None,
        };
        match start {
            Some(start) => self.fields(start, target),
            None => Ok(()),
        }
    }

    /// Follows a target's fields as far as the classes on the way are known.
    fn fields(&self, mut class: String, target: &Target) -> Result<(), String> {
        for field in &target.fields {
            if !self.facts.classes.contains_key(&class) {
                return Ok(());
            }
            let declared = self.facts.line_of(&class);
            let found =
                declared.iter().flat_map(|(_, class)| &class.fields).find(|(name, _)| **name == **field);
            let Some((_, descriptor)) = found else {
                return Err(format!("{} has no field {field}", dotted(&class)));
            };
            class = descriptor.strip_prefix('L').unwrap_or(descriptor).trim_end_matches(';').to_owned();
        }
        Ok(())
    }

    fn kind(&self, kind: &Kind) -> Result<(), String> {
        if !self.facts.classes.contains_key(&*kind.class) {
            return Err("there is no such class".to_owned());
        }
        for target in kind.mutex.iter().chain(&kind.of) {
            self.fields(kind.class.to_string(), target)?;
        }
        if kind.word == KindWord::Synchronised {
            return self.monitors(&kind.class);
        }
        Ok(())
    }

    /// The monitor of a synchronised object is held around calls, which is harmless only if they take it anyway.
    fn monitors(&self, class: &str) -> Result<(), String> {
        let held = |line: &&Line| {
            let uses = |effect: &Effect| matches!(effect.action, Action::Uses { held: true, .. });
            line.placement == Placement::Call && line.effects.iter().any(uses)
        };
        let is_below = |a: &str, b: &str| self.facts.line_of(a).iter().any(|(name, _)| *name == b);
        let mut without = BTreeSet::new();
        for line in self.models.lines().iter().filter(held).filter(|line| is_below(class, &line.class)) {
            // The first in the line of supertypes is the one that runs.
            let public = self.methods(class, &line.method).into_iter().filter(|(_, m)| m.flags & PUBLIC != 0);
            for (_, method) in public {
                let chosen = self.models.call_on(&method.name, &method.descriptor, class, is_below);
                let speaks =
                    chosen.iter().any(|other| other.source.line == line.source.line && other == &line);
                if speaks && !self.takes_monitor(class, class, &method.name, &method.descriptor, 4) {
                    without.insert(format!("{}{}", method.name, method.descriptor));
                }
            }
        }
        match without.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "its monitor is not taken by {}",
                without.into_iter().collect::<Vec<_>>().join(", ")
            )),
        }
    }

    /// Whether a method takes a monitor, itself or by calls of its own object's methods. Looked for from a class
    /// upward: calls may be virtual (then from the object's class) or of the superclass (then from there).
    fn takes_monitor(&self, class: &str, from: &str, name: &str, descriptor: &str, depth: u8) -> bool {
        let same =
            |method: &&facts::Method| method.name == name && method.descriptor == descriptor && method.code;
        let found =
            self.facts.line_of(from).into_iter().find_map(|(_, class)| class.methods.iter().find(same));
        let Some(method) = found else { return false };
        let line = self.facts.line_of(class);
        let own = |owner: &str| line.iter().any(|(name, _)| *name == owner);
        let deeper = |(owner, name, descriptor): &(String, String, String)| {
            own(owner)
                && [class, owner]
                    .iter()
                    .any(|from| self.takes_monitor(class, from, name, descriptor, depth - 1))
        };
        method.monitor || (depth > 0 && method.calls.iter().any(deeper))
    }

    /// Methods that users can call, of classes with call or body lines, that no line and no `ignore` speaks of.
    fn omissions(&self, omissions: &mut BTreeSet<String>) {
        let covered: BTreeSet<&str> = self
            .models
            .lines()
            .iter()
            .map(|line| &*line.class)
            .chain(self.models.ignores().iter().map(|ignore| &*ignore.class))
            .chain(self.models.kinds().iter().filter(|kind| has_meaning(kind)).map(|kind| &*kind.class))
            .collect();
        let objects = self.facts.classes.get("java/lang/Object");
        let of_object = |method: &facts::Method| {
            let same =
                |other: &facts::Method| other.name == method.name && other.descriptor == method.descriptor;
            method.name != "<init>" && objects.is_some_and(|object| object.methods.iter().any(same))
        };
        for name in covered {
            let Some(class) = self.facts.classes.get(name).filter(|class| class.flags & PUBLIC != 0) else {
                continue;
            };
            for method in &class.methods {
                let visible = method.flags & (PUBLIC | PROTECTED) != 0 && method.flags & SYNTHETIC == 0;
                // A constructor that is given no object concerns nobody else.
                let plain = method.name == "<init>" && !method.descriptor.contains(['L', '[']);
                if visible
                    && !plain
                    && name != "java/lang/Object"
                    && !of_object(method)
                    && !self.spoken_of(name, method)
                {
                    let shown = format!("{}.{}{}", dotted(name), method.name, method.descriptor);
                    omissions.insert(format!("no line and no `ignore` for {shown}"));
                }
            }
        }
    }

    fn spoken_of(&self, class: &str, method: &facts::Method) -> bool {
        self.facts.line_of(class).iter().any(|(name, _)| {
            let inherited = *name == class || method.name != "<init>";
            let ignored = self.models.ignores().iter().any(|ignore| {
                *ignore.class == **name
                    && *ignore.name == *method.name
                    && ignore
                        .parameters
                        .as_ref()
                        .is_none_or(|parameters| parameters.matches(&method.descriptor))
            });
            let said = |line: &Line| {
                *line.class == **name
                    && !matches!(line.placement, Placement::Inside { .. })
                    && (line.method.matches(&method.name, &method.descriptor)
                        || (method.is_polymorphic(name) && method.name == *line.method.name))
            };
            inherited && (ignored || self.models.lines().iter().any(said))
        })
    }
}

/// Whether calls on objects of the kind mean anything.
fn has_meaning(kind: &Kind) -> bool {
    matches!(kind.word, KindWord::Unsynchronised | KindWord::Synchronised | KindWord::Concurrent)
}

/// Whether a line's effects name a base.
fn uses(line: &Line, base: Base) -> bool {
    let mut found = false;
    for effect in &line.effects {
        effect.action.targets(&mut |target| found |= target.base == base);
    }
    found
}

/// Whether a condition can be asked of what a method returns.
fn fits(condition: Condition, method: &facts::Method) -> Result<(), String> {
    let returned = method.descriptor.rsplit(')').next().unwrap_or("");
    let fits = match condition {
        // A polymorphic method returns what its call says.
        Condition::True | Condition::False => matches!(returned, "Z" | "Ljava/lang/Object;"),
        Condition::Zero | Condition::Nonzero | Condition::Positive => matches!(returned, "I" | "J"),
        Condition::Null | Condition::Nonnull => returned.starts_with(['L', '[']),
        Condition::Always | Condition::Ended => true,
    };
    match fits {
        true => Ok(()),
        false => Err(format!("`if {}` of {}{}", condition.word(), method.name, method.descriptor)),
    }
}

fn dotted(class: &str) -> String {
    class.replace('/', ".")
}
