//! Statements of a model table: words to plain data. The grammar stands at the head of `mod.rs`.
//!
//! Each statement is read on its own, so that one error does not hide the next.

use rustc_hash::FxHashMap;

use super::effect::{Action, Base, Condition, Effect, Reach, Target, When};
use super::line::{
    Ignore, Kind, KindWord, Line, Mark, Method, Parameters, Placement, Role, Root, Source, Unwatched,
    Versions,
};
use super::parse_effect;
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
const MOST_ERRORS: usize = 20;

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
    package: String,
    imports: FxHashMap<String, Box<str>>,
    /// The classes of the header above.
    classes: Vec<Box<str>>,
    subclasses: bool,
    jdk: Option<Versions>,
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
                self.package = name(words, "a package such as `java.util`")?.replace('.', "/");
                Ok(())
            }
            Verb::Import => {
                let class =
                    name(words, "a class with its package, such as `java.util.Map`")?.replace('.', "/");
                let Some((_, simple)) = class.rsplit_once('/') else {
                    return Err(words.wrong_before("an import names a class with its package"));
                };
                self.imports.insert(simple.to_owned(), class.as_str().into());
                Ok(())
            }
            Verb::Class => {
                self.classes = self.class_names(words)?;
                self.subclasses = words.take("and");
                if self.subclasses {
                    words.expect("subclasses", "`and`")?;
                }
                self.jdk = Some(versions(words)?);
                Ok(())
            }
            Verb::Call => {
                let methods = self.methods(words)?.into_iter().map(|method| (method, Placement::Call));
                self.lines(words, &methods.collect::<Vec<_>>(), source)
            }
            Verb::Body => {
                let methods = self.methods(words)?.into_iter().map(|method| (method, Placement::Body));
                self.lines(words, &methods.collect::<Vec<_>>(), source)
            }
            Verb::Inside => {
                let holder = self.method(words)?;
                if !words.take("at") {
                    return Err(words.wrong("expected `at CLASS.METHOD(…)`: the call within the method"));
                }
                let mut calls = Vec::new();
                while calls.is_empty() || words.take(",") {
                    let (owner, callee) = self.owned_method(words)?;
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

    fn class_names(&self, words: &mut Cursor) -> Result<Vec<Box<str>>, Wrong> {
        let mut found = Vec::new();
        loop {
            let class = name(words, "a class")?;
            found.push(match class.contains('.') || self.package.is_empty() {
                true => class.replace('.', "/").into(),
                false => format!("{}/{class}", self.package).into(),
            });
            if !words.take(",") {
                return Ok(found);
            }
        }
    }

    fn methods(&self, words: &mut Cursor) -> Result<Vec<Method>, Wrong> {
        let mut found = vec![self.method(words)?];
        while words.take(",") {
            found.push(self.method(words)?);
        }
        Ok(found)
    }

    /// `name(types)` or `type name(types)`.
    fn method(&self, words: &mut Cursor) -> Result<Method, Wrong> {
        let returns = self.return_type(words)?;
        let name = words.word("a method such as `put(Object, Object)`")?;
        check_method_name(name, words)?;
        let parameters = self.parameters(words)?;
        Ok(Method { name: name.into(), parameters, returns })
    }

    /// `Class.name(types)`.
    fn owned_method(&self, words: &mut Cursor) -> Result<(Box<str>, Method), Wrong> {
        let returns = self.return_type(words)?;
        let word = words.word("a class and method such as `Runnable.run()`")?;
        let Some((class, name)) =
            word.rsplit_once('.').filter(|(class, name)| !class.is_empty() && !name.is_empty())
        else {
            return Err(words.wrong_before("the call needs its class: write `Runnable.run()`, not `run()`"));
        };
        check_name(class, words, "a class and method such as `Runnable.run()`")?;
        check_method_name(name, words)?;
        let owner = self.class_of_type(class);
        let parameters = self.parameters(words)?;
        Ok((owner, Method { name: name.into(), parameters, returns }))
    }

    fn return_type(&self, words: &mut Cursor) -> Result<Option<Box<str>>, Wrong> {
        match words.peek_second() {
            Some("(") | None => Ok(None),
            Some(_) => Ok(Some(self.type_descriptor(words, true)?.into())),
        }
    }

    fn parameters(&self, words: &mut Cursor) -> Result<Parameters, Wrong> {
        words.expect("(", "a method's name")?;
        let mut descriptor = String::new();
        let (mut count, mut open) = (0u8, false);
        if words.take(")") {
            return Ok(Parameters { descriptor: "".into(), count, open });
        }
        loop {
            if words.take("*") {
                open = true;
                words.expect(")", "`*`, which stands for all other parameters")?;
                break;
            }
            descriptor.push_str(&self.type_descriptor(words, false)?);
            count = count.checked_add(1).ok_or_else(|| words.wrong("a method has at most 255 parameters"))?;
            if words.take(")") {
                break;
            }
            words.expect(",", "a parameter")?;
        }
        Ok(Parameters { descriptor: descriptor.into(), count, open })
    }

    /// A Java type. A class without a package is imported, or one of java.lang.
    fn type_descriptor(&self, words: &mut Cursor, void: bool) -> Result<String, Wrong> {
        let word = words.word("a type such as `int` or `Object`")?;
        let (word, mut dimensions) = match word.strip_suffix("...") {
            Some(element) => (element, 1),
            None => (word, 0),
        };
        while words.take("[") {
            words.expect("]", "`[`")?;
            dimensions += 1;
        }
        if dimensions > 255 {
            return Err(words.wrong("an array has at most 255 dimensions"));
        }
        let element = match word {
            "boolean" => "Z".to_owned(),
            "byte" => "B".to_owned(),
            "char" => "C".to_owned(),
            "short" => "S".to_owned(),
            "int" => "I".to_owned(),
            "long" => "J".to_owned(),
            "float" => "F".to_owned(),
            "double" => "D".to_owned(),
            "void" if void && dimensions == 0 => "V".to_owned(),
            other => {
                check_name(other, words, "a type such as `int` or `Object`")?;
                format!("L{};", self.class_of_type(other))
            }
        };
        Ok("[".repeat(dimensions) + &element)
    }

    fn class_of_type(&self, class: &str) -> Box<str> {
        if class.contains('.') {
            return class.replace('.', "/").into();
        }
        match self.imports.get(class) {
            Some(found) => found.clone(),
            None => format!("java/lang/{class}").into(),
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
                check(&effect, method, placement).map_err(|reason| Wrong { at, reason })?;
            }
            effects.push(effect);
            more = words.take(";");
        }
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

    fn ignore(&mut self, words: &mut Cursor, source: Source) -> Result<(), Wrong> {
        if self.jdk.is_none() {
            return Err(words.wrong_before("`ignore` needs a `class NAME` line above it"));
        }
        let mut found: Vec<(Box<str>, Option<Parameters>)> = Vec::new();
        loop {
            let name = words.word("a method")?;
            check_method_name(name, words)?;
            let parameters = match words.peek() {
                Some("(") => Some(self.parameters(words)?),
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
        let classes = self.class_names(words)?;
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
        for method in self.methods(words)? {
            self.parsed.roots.push(Root { role, mark: Mark::Method(class.clone(), method), source });
        }
        Ok(())
    }
}

/// A name with dots.
fn name<'a>(words: &mut Cursor<'_, 'a>, what: &str) -> Result<&'a str, Wrong> {
    let word = words.word(what)?;
    check_name(word, words, what)?;
    Ok(word)
}

fn check_name(word: &str, words: &Cursor, what: &str) -> Result<(), Wrong> {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    match word.split('.').all(part) {
        true => Ok(()),
        false => Err(words.wrong_before(format!("expected {what}, found {}", quote(word)))),
    }
}

fn check_method_name(word: &str, words: &Cursor) -> Result<(), Wrong> {
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    match word == "<init>" || plain(word.strip_suffix('*').unwrap_or(word)) {
        true => Ok(()),
        false => Err(words.wrong_before(format!("expected a method's name, found {}", quote(word)))),
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

/// What cannot be: results before the call, arguments that the method does not have, an object not yet made.
fn check(effect: &Effect, method: &Method, placement: &Placement) -> Result<(), String> {
    let (called, inside) = match placement {
        Placement::Inside { callee, .. } => (callee, true),
        _ => (method, false),
    };
    let mut problem = None;
    let mut base = |base: Base| match base {
        Base::Arg(n) if n >= called.parameters.count && !called.parameters.open => {
            problem = Some(format!("`{called}` has no arg{n}; the first argument is arg0"));
        }
        Base::Result if matches!(effect.when, When::Before | When::Thrown | When::Left) => {
            problem = Some(format!("there is no result `{}`; use `after`", effect.when.word()));
        }
        Base::Outer | Base::OuterArg(_) if !inside => {
            problem = Some("`outer` is for `inside` lines only".to_owned());
        }
        Base::OuterArg(n) if n >= method.parameters.count && !method.parameters.open => {
            problem = Some(format!("`{method}` has no argument {n}; the first is outer0"));
        }
        Base::This if &*called.name == "<init>" && effect.when == When::Before => {
            problem = Some("`this` is not yet made before `<init>`; use `after`".to_owned());
        }
        _ => {}
    };
    effect.action.targets(&mut |target| base(target.base));
    effect.action.numbers(&mut base);
    if problem.is_some() {
        return problem.map_or(Ok(()), Err);
    }
    let usual = effect.action.usual();
    if usual == When::Around && effect.when != When::Around {
        return Err(format!("`{}` spans the call; leave out `{}`", effect.action, effect.when.word()));
    }
    let late = matches!(effect.when, When::After | When::Around);
    match effect.condition {
        Condition::Always => Ok(()),
        Condition::Ended if !matches!(effect.action, Action::Join(_)) => {
            Err("`if ended` is for `join` only".to_owned())
        }
        Condition::Ended => Ok(()),
        condition if !late => Err(format!(
            "`if {}` looks at the result, which is not known `{}`",
            condition.word(),
            effect.when.word()
        )),
        _ => Ok(()),
    }?;
    if &*method.name == "*" && !inside {
        return Err("`*` as a method's name is for the holder of an `inside` line only".to_owned());
    }
    Ok(())
}
