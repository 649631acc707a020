//! Model tables: which Java call means what for concurrency. Text files that people read, review and extend; the
//! weaver of running programs and the reader of code both ask here. This module parses them and answers look-ups;
//! it inserts nothing and knows no class but by name. `cargo xtask models` checks the built-in tables against JDKs.
//!
//! # Grammar
//! One statement a line; it goes on in the next line after `,` `;` or `:`, or if that starts with `because` or `of`.
//! `#` starts a comment.
//! ```text
//! package NAME                        classes of later class and kind lines may leave this package out
//! import CLASS                        parameters may call this class by its simple name; those of java.lang always
//! class NAME {, NAME} [and subclasses] [JDK]      the lines below are about these classes
//!     call METHOD {, METHOD} [JDK] : EFFECTS      at calls in woven code
//!     body METHOD {, METHOD} [JDK] : EFFECTS      in the class's own code: before = entry, after = exit
//!     inside METHOD at CLASS.METHOD {, …} [JDK] : EFFECTS    in that method's own code, at its calls of the others
//!     ignore METHOD-OR-NAME {, …} because TEXT    no effect, on purpose; in a user's table: the built-in line is off
//! kind KIND NAME {, NAME} [mutex TARGET] [of TARGET] [JDK]     what `inspects` and `mutates` mean for these classes
//! test annotation CLASS | test class CLASS METHOD {, METHOD}   what is a test        (`*.Simple`: any package)
//! entry annotation CLASS | entry class CLASS METHOD {, METHOD} what frameworks call from threads of their own
//! unwatched package NAME | unwatched class NAME                code that is not watched by default
//!
//! METHOD    = [TYPE] NAME(TYPE, …)    types as in Java; `*` at the end stands for any further parameters
//! JDK       = jdk 17..20 | jdk 21.. | jdk ..20 | jdk 25
//! EFFECTS   = EFFECT {; EFFECT} | nothing          nothing: what is said of supertypes does not hold here
//! EFFECT    = [before | after | thrown | left] ACTION [if CONDITION]       left = after or thrown
//! CONDITION = true | false | zero | nonzero | positive | null | nonnull    of the result
//!           | ended                                                        of the joined thread
//! ACTION    = acquire TARGET [MODE] | release TARGET [MODE] | convert TARGET from TARGET to (write | read | none)
//!           | wait TARGET | locks TARGET | signal TARGET [for WORD] | observe TARGET [for WORD]
//!           | fork TARGET | join TARGET
//!           | volatile (read | write | update) VARIABLE | read VARIABLE | write VARIABLE
//!           | (read | write) array TARGET [from BOUND (length BOUND | to BOUND)]
//!           | (inspects | mutates) TARGET [unheld]                         by the kind of the object's class
//!           | part TARGET of TARGET | view TARGET of TARGET | runs TARGET (now | later)
//! MODE      = read | optimistic | by TARGET                                by: as the stamp says
//! TARGET    = [whole of | last of | each] (this | argN | result | thread | outer | outerN | class){.FIELD}
//! VARIABLE  = TARGET | TARGET[argN] | handle TARGET | field TARGET in TARGET | memory TARGET at argN
//! BOUND     = NUMBER | argN | result | argN-argM
//! KIND      = unsynchronised | synchronised | concurrent | wrapper | immutable | thread-safe
//! ```
//! Without a word for the moment an action comes at its usual one: what gives order before the operation, what takes
//! order after it ([`Action::usual`]). What each action means is said at [`Action`], each kind at [`KindWord`].
//!
//! # Which line speaks for a call
//! A call line holds where the receiver's run-time class is the line's class or below it, whatever type the call site
//! names; of several the one of the most specific class ([`Models::call_on`]). A constructor's line holds for just its
//! class. A site that names `java.lang.Object` as owner (`equals`, `toString`) is asked for lines of that class alone: a
//! look at each of them would cost more than it finds. A woven subclass that overrides the
//! method speaks for itself by its own code, unless the header says `and subclasses`. A later table replaces the lines
//! and kinds of earlier ones that speak of the same class, placement and method for a common JDK.

mod builtin;
mod effect;
mod line;
mod parse;
mod parse_effect;
mod sense;
mod show;
mod signature;
#[cfg(test)]
mod tests;
mod words;

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

pub use builtin::BUILTIN;
pub use effect::{
    Access, Action, Base, Bound, Channel, Condition, Effect, LockMode, Range, Reach, Target, Variable, When,
};
pub use line::{
    Ignore, Kind, KindWord, Line, Mark, Method, Parameters, Placement, Role, Root, Source, Unwatched,
    Versions,
};
pub use words::ModelError;

/// How many ranges of JDKs one method or class may have in a layer.
const MOST_RANGES: usize = 16;

/// What two lines have in common of which the later replaces the earlier.
type Key<'a> = (&'a str, &'a Placement, &'a Method);

fn hash(name: &str, parameters: &str) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    parameters.hash(&mut hasher);
    hasher.finish()
}

/// The tables that are in force.
#[derive(Clone, Default, Debug)]
pub struct Models {
    files: Vec<String>,
    lines: Vec<Line>,
    kinds: Vec<Kind>,
    ignores: Vec<Ignore>,
    roots: Vec<Root>,
    unwatched: Vec<Unwatched>,
    /// Call lines by a hash of the method's name and parameters, or of its name and `*` where they are open.
    calls: FxHashMap<u64, Vec<u32>>,
    /// Body and inside lines by the class that holds the code.
    bodies: FxHashMap<Box<str>, Vec<u32>>,
    /// Kinds by class.
    kind_of: FxHashMap<Box<str>, Vec<u32>>,
}

impl Models {
    /// No tables at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The tables that come with Raddle. They always parse (a test says so); the error is for whoever edits them.
    pub fn builtin() -> Result<Self, Vec<ModelError>> {
        let models = Self::parse(Vec::new(), BUILTIN)?;
        // A test looks for contradictions here; programs that start need not wait for it.
        debug_assert!(models.contradictions().is_ok(), "{:?}", models.contradictions());
        Ok(models)
    }

    /// Adds a table on top of those that are there: see "Which line speaks for a call".
    pub fn add(&mut self, file: &str, text: &str) -> Result<(), Vec<ModelError>> {
        let layer = Self::parse(self.files.clone(), &[(file, text)])?;
        layer.contradictions()?;
        self.replace_by(layer);
        Ok(())
    }

    /// Several tables as one layer, which is not yet known to be without contradictions.
    fn parse(files: Vec<String>, tables: &[(&str, &str)]) -> Result<Self, Vec<ModelError>> {
        let mut layer = Self { files, ..Self::default() };
        let mut errors = Vec::new();
        for (name, text) in tables {
            let file = u32::try_from(layer.files.len()).unwrap_or(u32::MAX);
            layer.files.push((*name).to_owned());
            match parse::parse(name, file, text) {
                Ok(mut parsed) => {
                    layer.lines.append(&mut parsed.lines);
                    layer.kinds.append(&mut parsed.kinds);
                    layer.ignores.append(&mut parsed.ignores);
                    layer.roots.append(&mut parsed.roots);
                    layer.unwatched.append(&mut parsed.unwatched);
                }
                Err(mut found) => errors.append(&mut found),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        layer.index();
        Ok(layer)
    }

    /// Two lines, or two kinds, of one layer that say something of the same thing.
    fn contradictions(&self) -> Result<(), Vec<ModelError>> {
        let mut errors = Vec::new();
        let mut again = |what: String, source: Source, earlier: Source| {
            let file = self.file(source).to_owned();
            let before = format!("{}:{}", self.file(earlier), earlier.line);
            let reason =
                format!("{what} is said twice, first at {before}; keep one, or give them other `jdk` ranges");
            errors.push(ModelError { file, line: source.line, column: 1, reason });
            errors.len() < parse::MOST_ERRORS
        };
        let mut seen: FxHashMap<Key, Vec<&Line>> = FxHashMap::default();
        for line in &self.lines {
            let before = seen.entry(line.key()).or_default();
            let rival = before.iter().find(|earlier| earlier.jdk.meets(line.jdk));
            let rival = rival.or_else(|| before.first().filter(|_| before.len() >= MOST_RANGES));
            if let Some(earlier) = rival {
                let what = format!("`{}.{}`", show::dotted(&line.class), line.method);
                if !again(what, line.source, earlier.source) {
                    break;
                }
            } else {
                before.push(line);
            }
        }
        let mut seen: FxHashMap<&str, Vec<&Kind>> = FxHashMap::default();
        for kind in &self.kinds {
            let before = seen.entry(&kind.class).or_default();
            let rival = before.iter().find(|earlier| earlier.jdk.meets(kind.jdk));
            let rival = rival.or_else(|| before.first().filter(|_| before.len() >= MOST_RANGES));
            if let Some(earlier) = rival {
                if !again(format!("the kind of `{}`", show::dotted(&kind.class)), kind.source, earlier.source)
                {
                    break;
                }
            } else {
                before.push(kind);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn replace_by(&mut self, layer: Self) {
        let mut newer: FxHashMap<Key, Vec<&Line>> = FxHashMap::default();
        for line in &layer.lines {
            newer.entry(line.key()).or_default().push(line);
        }
        let mut ignored: FxHashMap<(&str, &str), Vec<&Ignore>> = FxHashMap::default();
        for ignore in &layer.ignores {
            ignored.entry((&ignore.class, &ignore.name)).or_default().push(ignore);
        }
        self.lines.retain(|line| {
            let replaced =
                newer.get(&line.key()).into_iter().flatten().any(|newer| newer.jdk.meets(line.jdk));
            let ignores = ignored.get(&(&*line.class, &*line.method.name)).into_iter().flatten();
            !replaced && !ignores.into_iter().any(|ignore| ignore.covers(&line.class, &line.method))
        });
        self.kinds.retain(|kind| {
            let newer = layer.kind_of.get(&kind.class).into_iter().flatten();
            !newer.filter_map(|n| layer.kinds.get(*n as usize)).any(|newer| newer.jdk.meets(kind.jdk))
        });
        self.files = layer.files;
        self.lines.extend(layer.lines);
        self.kinds.extend(layer.kinds);
        self.ignores.extend(layer.ignores);
        self.roots.extend(layer.roots);
        self.unwatched.extend(layer.unwatched);
        self.index();
    }

    fn index(&mut self) {
        self.calls.clear();
        self.bodies.clear();
        self.kind_of.clear();
        for (number, line) in (0u32..).zip(&self.lines) {
            let Method { name, parameters, .. } = &line.method;
            match line.placement {
                Placement::Call if parameters.open => self.calls.entry(hash(name, "*")).or_default(),
                Placement::Call => self.calls.entry(hash(name, &parameters.descriptor)).or_default(),
                Placement::Body | Placement::Inside { .. } => {
                    self.bodies.entry(line.class.clone()).or_default()
                }
            }
            .push(number);
        }
        for (number, kind) in (0u32..).zip(&self.kinds) {
            self.kind_of.entry(kind.class.clone()).or_default().push(number);
        }
    }

    /// Drops everything that does not hold for this JDK.
    pub fn keep_jdk(&mut self, version: u16) {
        self.lines.retain(|line| line.jdk.contains(version));
        self.kinds.retain(|kind| kind.jdk.contains(version));
        self.index();
    }

    /// The files that the tables came from, for [`Source`].
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The file's name behind a source.
    pub fn file(&self, source: Source) -> &str {
        self.files.get(source.file as usize).map_or("", String::as_str)
    }

    /// Every call, body and inside line.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Every kind.
    pub fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Every decision that methods have no effect.
    pub fn ignores(&self) -> &[Ignore] {
        &self.ignores
    }

    /// Tests and entries.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// What is left unwatched.
    pub fn unwatched(&self) -> &[Unwatched] {
        &self.unwatched
    }

    /// Call lines for a method of this name and descriptor, whichever class they are about. Two hashes decide for
    /// nearly all call sites.
    pub fn calls<'a>(&'a self, name: &'a str, descriptor: &'a str) -> impl Iterator<Item = &'a Line> {
        self.call_numbers(name, descriptor).filter_map(|number| self.lines.get(number as usize))
    }

    /// The numbers (indices into [`Models::lines`]) of these lines.
    pub fn call_numbers<'a>(&'a self, name: &'a str, descriptor: &'a str) -> impl Iterator<Item = u32> + 'a {
        let parameters = descriptor.get(1..).and_then(|rest| rest.split(')').next()).unwrap_or("");
        let of = |parameters| self.calls.get(&hash(name, parameters)).map_or(&[][..], Vec::as_slice);
        let matches = move |number: &u32| {
            self.lines.get(*number as usize).is_some_and(|line| line.method.matches(name, descriptor))
        };
        of(parameters).iter().chain(of("*")).copied().filter(matches)
    }

    /// The numbers of the body and inside lines for a class's own code.
    pub fn body_numbers(&self, class: &str) -> &[u32] {
        self.bodies.get(class).map_or(&[], Vec::as_slice)
    }

    /// The call lines that speak for a call on an object of this class: of those whose class it is below, the most
    /// specific; what two unrelated interfaces say alike is said once. `is_below(a, b)`: a is b or a subtype of it.
    pub fn call_on<'a>(
        &'a self,
        name: &'a str,
        descriptor: &'a str,
        class: &str,
        is_below: impl Fn(&str, &str) -> bool,
    ) -> Vec<&'a Line> {
        let speaks = |line: &&Line| match name {
            "<init>" => *line.class == *class,
            _ => is_below(class, &line.class),
        };
        let all: Vec<&Line> = self.calls(name, descriptor).filter(speaks).collect();
        let mut chosen: Vec<&Line> = Vec::new();
        for line in &all {
            let hidden =
                all.iter().any(|other| other.class != line.class && is_below(&other.class, &line.class));
            if !hidden && !chosen.iter().any(|other| other.effects == line.effects) {
                chosen.push(line);
            }
        }
        chosen
    }

    /// Body and inside lines for a class's own code.
    pub fn bodies<'a>(&'a self, class: &str) -> impl Iterator<Item = &'a Line> {
        let numbers = self.bodies.get(class).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|number| self.lines.get(*number as usize))
    }

    /// The kind of just this class; the caller goes on to its superclasses if there is none.
    pub fn kind(&self, class: &str) -> Option<&Kind> {
        self.kind_of.get(class)?.first().and_then(|number| self.kinds.get(*number as usize))
    }

    /// Whether a class is left unwatched by default.
    pub fn is_unwatched(&self, class: &str) -> bool {
        self.unwatched.iter().any(|unwatched| unwatched.covers(class))
    }

    /// Whether a method with this annotation (class name in the class file's form) has a role.
    pub fn is_marked(&self, role: Role, annotation: &str) -> bool {
        self.roots.iter().filter(|root| root.role == role).any(|root| match &root.mark {
            Mark::Annotation(name) => Mark::names(name, annotation),
            Mark::Method(..) => false,
        })
    }

    /// Whether a method has a role by a class that it overrides it from (or is declared in).
    pub fn is_root(&self, role: Role, class: &str, name: &str, descriptor: &str) -> bool {
        self.roots.iter().filter(|root| root.role == role).any(|root| match &root.mark {
            Mark::Method(owner, method) => Mark::names(owner, class) && method.matches(name, descriptor),
            Mark::Annotation(_) => false,
        })
    }

    /// Every statement in the grammar above, one class line before each change of class.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut header = String::new();
        let mut head = |text: &mut String, class: &str, subclasses: bool| {
            let subclasses = if subclasses { " and subclasses" } else { "" };
            let new = format!("class {}{subclasses}\n", show::dotted(class));
            if new != header {
                text.push_str(&new);
                header = new;
            }
        };
        for line in &self.lines {
            head(&mut text, &line.class, line.subclasses);
            text.push_str(&format!("    {line}\n"));
        }
        for ignore in &self.ignores {
            head(&mut text, &ignore.class, false);
            text.push_str(&format!("    {ignore}\n"));
        }
        for kind in &self.kinds {
            text.push_str(&format!("{kind}\n"));
        }
        for root in &self.roots {
            text.push_str(&format!("{root}\n"));
        }
        for unwatched in &self.unwatched {
            text.push_str(&format!("{unwatched}\n"));
        }
        text
    }
}
