//! Statements of a model table: words to plain data. The grammar stands at the head of `mod.rs`.
//!
//! Each statement is read on its own, so that one error does not hide the next.

use super::effect::{Base, Effect, Reach, Target};
use super::line::{
    Ignore, Kind, KindWord, Line, Mark, Method, Parameters, Placement, Role, Root, Source, Unwatched,
    Versions,
};
use super::parse_effect;
use super::sense;
use super::signature::{Names, check_method_name, check_name, name};
use super::words::{Cursor, ModelError, Place, Wrong, statements};
use crate::error::quote;

/// What a table says.
#[derive(Default)]
pub(super) struct Parsed {
    pub lines: Vec<Line>,
    pub kinds: Vec<Kind>,
    pub ignores: Vec<Ignore>,
    pub roots: Vec<Root>,
    pub unwatched: Vec<Unwatched>,
}

/// More errors than this help nobody.
pub(super) const MOST_ERRORS: usize = 20;

/// How many bytes of memory a table may take, about: lists of classes and methods multiply.
const MOST_WEIGHT: usize = 64 << 20;

/// Reads a whole table; `file` is its number in [`Source`].
pub(super) fn parse(name: &str, file: u32, text: &str) -> Result<Parsed, Vec<ModelError>> {
    let mut reader = Reader { file, ..Reader::default() };
    let mut errors = Vec::new();
    for words in statements(text) {
        let mut cursor = Cursor::new(&words);
        let line = cursor.place().line;
        if let Err(Wrong { at: Place { line, column }, reason }) =
            reader.statement(&mut cursor, line).and_then(|()| cursor.end())
        {
            errors.push(ModelError { file: name.to_owned(), line, column, reason });
            if errors.len() == MOST_ERRORS {
                break;
            }
        }
    }
    if errors.is_empty() { Ok(reader.parsed) } else { Err(errors) }
}

#[derive(Default)]
struct Reader {
    file: u32,
    parsed: Parsed,
    names: Names,
    /// The classes of the header above.
    classes: Vec<Box<str>>,
    subclasses: bool,
    jdk: Option<Versions>,
    /// How many bytes of memory the table takes so far, about.
    weight: usize,
}

#[derive(Clone, Copy)]
enum Verb {
    Package,
    Import,
    Class,
    Call,
    Body,
    Inside,
    Ignore,
    Kind,
    Test,
    Entry,
    Unwatched,
}

const VERBS: &[(&str, Verb)] = &[
    ("package", Verb::Package),
    ("import", Verb::Import),
    ("class", Verb::Class),
    ("call", Verb::Call),
    ("body", Verb::Body),
    ("inside", Verb::Inside),
    ("ignore", Verb::Ignore),
    ("kind", Verb::Kind),
    ("test", Verb::Test),
    ("entry", Verb::Entry),
    ("unwatched", Verb::Unwatched),
];

const KINDS: &[(&str, KindWord)] = &[
    ("unsynchronised", KindWord::Unsynchronised),
    ("synchronised", KindWord::Synchronised),
    ("concurrent", KindWord::Concurrent),
    ("wrapper", KindWord::Wrapper),
    ("immutable", KindWord::Immutable),
    ("thread-safe", KindWord::ThreadSafe),
];

impl Reader {
    fn statement(&mut self, words: &mut Cursor, line: u32) -> Result<(), Wrong> {
        let source = Source { file: self.file, line };
        match words.one_of("the start of a statement", VERBS)? {
            Verb::Package => {
                self.names.package = name(words, "a package such as `java.util`")?.replace('.', "/");
                Ok(())
            }
            Verb::Import => {
                let class =
                    name(words, "a class with its package, such as `java.util.Map`")?.replace('.', "/");
                let Some((_, simple)) = class.rsplit_once('/') else {
                    return Err(words.wrong_before("an import names a class with its package"));
                };
                self.names.imports.insert(simple.to_owned(), class.as_str().into());
                Ok(())
            }
            Verb::Class => {
                self.classes = self.names.class_names(words)?;
                self.subclasses = words.take("and");
                if self.subclasses {
                    words.expect("subclasses", "`and`")?;
                }
                self.jdk = Some(versions(words)?);
                Ok(())
            }
            Verb::Call => {
                let methods = self.names.methods(words)?.into_iter().map(|method| (method, Placement::Call));
                self.lines(words, &methods.collect::<Vec<_>>(), source)
            }
            Verb::Body => {
                let methods = self.names.methods(words)?.into_iter().map(|method| (method, Placement::Body));
                self.lines(words, &methods.collect::<Vec<_>>(), source)
            }
            Verb::Inside => {
                let holder = self.names.method(words)?;
                if !words.take("at") {
                    return Err(words.wrong("expected `at CLASS.METHOD(…)`: the call within the method"));
                }
                let mut calls = Vec::new();
                while calls.is_empty() || words.take(",") {
                    let (owner, callee) = self.names.owned_method(words)?;
                    calls.push((holder.clone(), Placement::Inside { owner, callee }));
                }
                self.lines(words, &calls, source)
            }
            Verb::Ignore => self.ignore(words, source),
            Verb::Kind => self.kind(words, source),
            Verb::Test => self.root(words, Role::Test, source),
            Verb::Entry => self.root(words, Role::Entry, source),
            Verb::Unwatched => {
                let package = words.one_of("what is unwatched", &[("package", true), ("class", false)])?;
                let name = name(words, "a name with dots")?.replace('.', "/").into();
                self.parsed.unwatched.push(Unwatched { name, package, source });
                Ok(())
            }
        }
    }

    fn lines(
        &mut self,
        words: &mut Cursor,
        methods: &[(Method, Placement)],
        source: Source,
    ) -> Result<(), Wrong> {
        let Some(header) = self.jdk else {
            return Err(words.wrong("a line needs a `class NAME` line above it: which class is it about?"));
        };
        for (method, placement) in methods {
            sense::check_names(method, placement).map_err(|reason| words.wrong_before(reason))?;
        }
        let own = versions(words)?;
        let Some(jdk) = header.both(own) else {
            return Err(words.wrong_before("the class line above leaves no version of this range"));
        };
        words.expect(":", "the method: effects follow it")?;
        let mut effects = Vec::new();
        let mut more = !words.take("nothing");
        while more {
            let at = words.place();
            let effect = parse_effect::effect(words)?;
            for (method, placement) in methods {
                sense::check(&effect, method, placement).map_err(|reason| Wrong { at, reason })?;
            }
            effects.push(effect);
            more = words.take(";");
        }
        let size = methods.iter().map(|(method, placement)| weight(method) + place_weight(placement)).sum();
        let size = methods.len().saturating_mul(effects.len() * size_of::<Effect>()).saturating_add(size);
        self.weigh(words, size)?;
        for class in &self.classes {
            for (method, placement) in methods {
                self.parsed.lines.push(Line {
                    class: class.clone(),
                    subclasses: self.subclasses,
                    placement: placement.clone(),
                    method: method.clone(),
                    jdk,
                    effects: effects.clone(),
                    source,
                });
            }
        }
        Ok(())
    }

    /// Adds what a statement takes for each class of the header, before it is taken.
    fn weigh(&mut self, words: &Cursor, each: usize) -> Result<(), Wrong> {
        let classes = self.classes.iter().map(|class| each.saturating_add(class.len() + size_of::<Line>()));
        self.weight = classes.fold(self.weight, usize::saturating_add);
        match self.weight <= MOST_WEIGHT {
            true => Ok(()),
            false => {
                Err(words.wrong_before("the table is too large; shorten its lists of classes and methods"))
            }
        }
    }

    fn ignore(&mut self, words: &mut Cursor, source: Source) -> Result<(), Wrong> {
        if self.jdk.is_none() {
            return Err(words.wrong_before("`ignore` needs a `class NAME` line above it"));
        }
        let mut found: Vec<(Box<str>, Option<Parameters>)> = Vec::new();
        loop {
            let name = words.word("a method")?;
            check_method_name(name, words)?;
            let parameters = match words.peek() {
                Some("(") => Some(self.names.parameters(words)?),
                _ => None,
            };
            found.push((name.into(), parameters));
            if !words.take(",") {
                break;
            }
        }
        words.expect("because", "the methods")?;
        let reason = words.rest_of_line();
        if reason.is_empty() {
            return Err(words.wrong("say why, in a few words: omissions are decisions"));
        }
        let size = |(name, parameters): &(Box<str>, Option<Parameters>)| {
            name.len()
                + reason.len()
                + parameters.as_ref().map_or(0, |parameters| parameters.descriptor.len())
        };
        self.weigh(words, found.iter().map(size).sum())?;
        for class in &self.classes {
            for (name, parameters) in &found {
                self.parsed.ignores.push(Ignore {
                    class: class.clone(),
                    name: name.clone(),
                    parameters: parameters.clone(),
                    reason: reason.into(),
                    source,
                });
            }
        }
        Ok(())
    }

    fn kind(&mut self, words: &mut Cursor, source: Source) -> Result<(), Wrong> {
        let word = words.one_of("a kind", KINDS)?;
        let classes = self.names.class_names(words)?;
        let at = words.place();
        let mutex = if words.take("mutex") { Some(parse_effect::target(words)?) } else { None };
        let of = if words.take("of") { Some(parse_effect::target(words)?) } else { None };
        let allowed = match word {
            KindWord::Synchronised => mutex.is_some(),
            KindWord::Wrapper => mutex.is_none() && of.is_some(),
            _ => mutex.is_none() && of.is_none(),
        };
        let from_this = |target: &Option<Target>| {
            target.as_ref().is_none_or(|t| t.base == Base::This && t.reach == Reach::Itself)
        };
        if !allowed || !from_this(&mutex) || !from_this(&of) {
            let reason = "`mutex this…` is for `synchronised` (which needs it), `of this.FIELD` for `wrapper` \
                          (which needs it) and `synchronised`";
            return Err(Wrong { at, reason: reason.to_owned() });
        }
        let jdk = versions(words)?;
        let fields = |target: &Target| target.fields.iter().map(|field| field.len() + 16).sum::<usize>();
        let size = mutex.iter().chain(&of).map(fields).sum::<usize>();
        self.weight = self.weight.saturating_add(size.saturating_mul(classes.len()));
        self.weigh(words, 0)?;
        for class in classes {
            let (mutex, of) = (mutex.clone(), of.clone());
            self.parsed.kinds.push(Kind { class, word, mutex, of, jdk, source });
        }
        Ok(())
    }

    fn root(&mut self, words: &mut Cursor, role: Role, source: Source) -> Result<(), Wrong> {
        let by_annotation = words.one_of("how it is known", &[("annotation", true), ("class", false)])?;
        let class = words.word("a class; `*.Simple` is one in any package")?;
        check_name(class.strip_prefix("*.").unwrap_or(class), words, "a class")?;
        let class: Box<str> = class.replace('.', "/").into();
        if by_annotation {
            self.parsed.roots.push(Root { role, mark: Mark::Annotation(class), source });
            return Ok(());
        }
        for method in self.names.methods(words)? {
            self.parsed.roots.push(Root { role, mark: Mark::Method(class.clone(), method), source });
        }
        Ok(())
    }
}

/// `jdk 17..20`, `jdk 21..`, `jdk ..20`, `jdk 25`, or nothing.
fn versions(words: &mut Cursor) -> Result<Versions, Wrong> {
    if !words.take("jdk") {
        return Ok(Versions::ALL);
    }
    let word = words.word("versions such as `17..20` or `21..`")?;
    let (from, to) = word.split_once("..").unwrap_or((word, word));
    let read = |text: &str, open: u16| if text.is_empty() { Some(open) } else { text.parse::<u16>().ok() };
    match (read(from, 0), read(to, u16::MAX)) {
        (Some(from), Some(to)) if from <= to && word != ".." => Ok(Versions { from, to }),
        _ => Err(words
            .wrong_before(format!("expected versions such as `17..20` or `21..`, found {}", quote(word)))),
    }
}

/// How many bytes a method takes, about.
fn weight(method: &Method) -> usize {
    let returns = method.returns.as_ref().map_or(0, |returns| returns.len());
    method.name.len() + method.parameters.descriptor.len() + returns
}

fn place_weight(placement: &Placement) -> usize {
    match placement {
        Placement::Inside { owner, callee } => owner.len() + weight(callee),
        Placement::Call | Placement::Body => 0,
    }
}
