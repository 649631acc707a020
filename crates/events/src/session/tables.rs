//! The names log as the reader uses it: entries become rows of [`Symbols`], and numbers become ids.
//!
//! Knows nothing of records. Objects and variables are not in the log: see `objects.rs`.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::NAMES;
use super::names::{Entry, FINAL, Frame, LONGEST};
use super::objects::{NO_FIELD, short};
use super::{Kind, record};
use crate::{
    Access, Block, BlockId, Class, ClassId, Field, FieldId, Flow, FlowId, FlowKind, Gap, Lender, Method,
    MethodId, Place, Site, SiteId, Stack, StrId, Symbols, Thread, ThreadId, TraceError, VarId,
};

/// How far numbers may be ahead of the entries that were read: threads write theirs side by side.
const AHEAD: usize = 1 << 16;

/// What the reader has to know of a site for each of its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// None for a number that has no entry yet.
    pub(super) kind: Option<Kind>,
    pub(super) site: SiteId,
    /// The field, if the site is about one.
    pub(super) field: Option<FieldId>,
    /// The class of the operand, as far as the site tells it.
    pub(super) class: ClassId,
    /// The block, if the site's kind is about one.
    pub(super) block: BlockId,
    /// What tells channels of one object apart.
    pub(super) purpose: StrId,
    /// The watched flow, once it is known to have a use.
    pub(super) flow: Option<FlowId>,
}

const UNKNOWN: Known = Known {
    kind: None,
    site: SiteId(0),
    field: None,
    class: ClassId(0),
    block: BlockId(0),
    purpose: StrId(0),
    flow: None,
};

/// What is needed of a site for a plain access of a field, which is what most records are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) field: FieldId,
    /// Its [`short`] number; none for sites that do something else.
    pub(super) short: u16,
    /// The place of the access.
    pub(super) place: u32,
}

const NOT_PLAIN: Plain = Plain { field: FieldId(0), short: NO_FIELD, place: 0 };

/// A thread that has its first chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Begun {
    pub(super) number: u32,
    pub(super) page: u32,
}

/// Everything that the log has told so far.
pub(super) struct Tables {
    name: String,
    file: File,
    /// How much of the file has been understood.
    at: u64,
    /// What was read and is not understood yet, and where the next bytes are read to.
    bytes: Vec<u8>,
    fresh: Vec<u8>,
    entries: usize,
    pub(super) symbols: Lender<Symbols>,
    pub(super) sites: Vec<Known>,
    /// By the same numbers.
    pub(super) plain: Vec<Plain>,
    /// With the source file.
    classes: Vec<Option<(ClassId, Option<StrId>)>>,
    methods: Vec<Option<(MethodId, u32)>>,
    fields: Vec<Option<FieldId>>,
    strings: Vec<Option<StrId>>,
    threads: FxHashMap<u32, ThreadId>,
    names_taken: FxHashSet<StrId>,
    loaders: FxHashMap<StrId, u32>,
    /// Threads whose records can be read from now on.
    pub(super) begun: Vec<Begun>,
    with_chunk: FxHashSet<u32>,
    pub(super) class_objects: FxHashMap<u64, ClassId>,
    pub(super) gaps: Vec<Gap>,
    pub(super) counts: Vec<(String, u64)>,
    /// `java.lang.Object`, for what has no better class.
    pub(super) any_class: ClassId,
}

impl Tables {
    /// Opens the log in a session folder. None if there is none yet.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>, TraceError> {
        let path = folder.join(NAMES);
        let name = path.display().to_string();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(TraceError::io(name, Place::File, &error)),
        };
        let mut symbols = Symbols::new();
        let any_class = symbols.class("java.lang.Object");
        Ok(Some(Self {
            name,
            file,
            at: 0,
            bytes: Vec::new(),
            fresh: vec![0; 1 << 16],
            entries: 0,
            symbols: Lender::new(symbols),
            sites: Vec::new(),
            plain: Vec::new(),
            classes: Vec::new(),
            methods: Vec::new(),
            fields: Vec::new(),
            strings: Vec::new(),
            threads: FxHashMap::default(),
            names_taken: FxHashSet::default(),
            loaders: FxHashMap::default(),
            begun: Vec::new(),
            with_chunk: FxHashSet::default(),
            class_objects: FxHashMap::default(),
            gaps: Vec::new(),
            counts: Vec::new(),
            any_class,
        }))
    }

    /// Reads what is new. Whether there was anything.
    pub(super) fn read(&mut self) -> Result<bool, TraceError> {
        let before = self.at;
        loop {
            let held = self.bytes.len() as u64;
            let got = loop {
                match self.file.read_at(&mut self.fresh, self.at + held) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            let got = got.map_err(|error| TraceError::io(&self.name, Place::Byte(self.at), &error))?;
            self.bytes.extend_from_slice(self.fresh.get(..got).unwrap_or_default());
            let bytes = std::mem::take(&mut self.bytes);
            let mut used = 0;
            loop {
                let rest = bytes.get(used..).unwrap_or_default();
                match Entry::decode(rest).and_then(|found| match found {
                    Some((entry, length)) => self.take(entry).map(|()| Some(length)),
                    None => Ok(None),
                }) {
                    Ok(Some(length)) => used += length,
                    Ok(None) => break,
                    Err(reason) => {
                        return Err(TraceError::new(&self.name, Place::Byte(self.at + used as u64), reason));
                    }
                }
            }
            self.bytes = bytes;
            self.bytes.drain(..used);
            self.at += used as u64;
            debug_assert!(self.bytes.len() <= LONGEST + (1 << 16));
            if got == 0 {
                // What is left is not whole yet and is read again, since it may have been torn.
                self.bytes.clear();
                return Ok(self.at > before);
            }
        }
    }

    /// What a site's records mean.
    #[inline(always)]
    pub(super) fn site(&self, number: u32) -> Option<&Known> {
        self.sites.get(number as usize)
    }

    /// The thread of a number.
    pub(super) fn thread(&self, number: u64) -> Option<ThreadId> {
        self.threads.get(&u32::try_from(number).ok()?).copied()
    }

    /// The class of a number; none for 0 and for numbers without an entry.
    pub(super) fn class(&self, number: u32) -> Option<ClassId> {
        self.classes.get(number as usize).copied().flatten().map(|(class, _)| class)
    }

    /// The field of a number.
    pub(super) fn field(&self, number: u32) -> Option<FieldId> {
        self.fields.get(number as usize).copied().flatten()
    }

    /// The string of a number.
    pub(super) fn string(&self, number: u64) -> Option<StrId> {
        self.strings.get(usize::try_from(number).ok()?).copied().flatten()
    }

    fn take(&mut self, entry: Entry) -> Result<(), String> {
        self.entries += 1;
        let symbols = &mut self.symbols;
        match entry {
            Entry::Class { number, name, file } => {
                let name = symbols.string(&name.replace('/', "."));
                // Told once more, perhaps with its source this time.
                let known = get(&self.classes, number, "class").ok().map(|(class, _)| class);
                let class = match known.filter(|&class| symbols.classes.get(class).name == name) {
                    Some(class) => class,
                    None => {
                        let seen = self.loaders.entry(name).or_default();
                        let class = symbols.classes.intern(Class { name, loader: *seen });
                        *seen += 1;
                        class
                    }
                };
                let file = (!file.is_empty()).then(|| symbols.string(&file));
                put(&mut self.classes, number, (class, file), self.entries)
            }
            Entry::Method { number, class, name, descriptor } => {
                let (of, _) = get(&self.classes, class, "class")?;
                let name = symbols.string(&(name + &descriptor));
                let method = symbols.methods.intern(Method { class: of, name });
                put(&mut self.methods, number, (method, class), self.entries)
            }
            Entry::Field { number, class, name, flags, .. } => {
                let (class, _) = get(&self.classes, class, "class")?;
                let name = symbols.string(&name);
                let is_final = flags & FINAL != 0;
                let field = symbols.fields.intern(Field { class: Some(class), name, is_final });
                put(&mut self.fields, number, field, self.entries)
            }
            Entry::Site { number, method, line, kind, operand, text, of } => {
                self.site_entry((number, method, line), kind, operand, &text, &of)
            }
            Entry::Thread { number, name, page, .. } => {
                self.thread_entry(number, &name, page);
                Ok(())
            }
            Entry::Stack { thread, site, frames, .. } => {
                let thread = *self.threads.get(&thread).ok_or("a stack of a thread without an entry")?;
                // An example for a place that nobody knows is worth nothing, and no reason to stop.
                let site = self.sites.get(site as usize).filter(|site| site.kind.is_some());
                let Some(site) = site.map(|site| site.site) else { return Ok(()) };
                let callers = frames.iter().map(|frame| self.frame(frame)).collect();
                self.symbols.stacks.push(Stack { thread, site, callers });
                Ok(())
            }
            Entry::String { number, text } => {
                let text = symbols.string(&text);
                put(&mut self.strings, number, text, self.entries)
            }
            Entry::Gap { what, why, count } => {
                match self.gaps.iter_mut().find(|gap| gap.what == what && gap.why == why) {
                    Some(gap) => gap.count = gap.count.saturating_add(count),
                    None => self.gaps.push(Gap { what, why, count }),
                }
                Ok(())
            }
            Entry::Count { what, number } => {
                match self.counts.iter_mut().find(|(known, _)| *known == what) {
                    Some((_, count)) => *count = number,
                    None => self.counts.push((what, number)),
                }
                Ok(())
            }
            Entry::ClassObject { object, class } => {
                let (class, _) = get(&self.classes, class, "class")?;
                let name = format!("{}.class", symbols.class_name(class));
                let class = symbols.class(&name);
                self.class_objects.insert(object, class);
                Ok(())
            }
        }
    }

    fn site_entry(
        &mut self,
        (number, method, line): (u32, u32, u32),
        kind: u8,
        operand: u32,
        text: &str,
        taken: &str,
    ) -> Result<(), String> {
        let kind = Kind::of(kind).ok_or_else(|| format!("a site of kind {kind}, which is not known"))?;
        if number >> record::SITE_BITS != 0 {
            return Err(format!("site number {number} is too large"));
        }
        let (of, class) = match method {
            0 => (None, None),
            _ => get(&self.methods, method, "method").map(|(method, class)| (Some(method), Some(class)))?,
        };
        let of_class = match class {
            Some(class) => Some(get(&self.classes, class, "class")?),
            None => None,
        };
        let field = match kind {
            _ if operand == 0 => None,
            Kind::FlowUse => None,
            _ => Some(get(&self.fields, operand, "field")?),
        };
        let symbols = &mut self.symbols;
        let block = match (kind, of) {
            (Kind::EnterBlock | Kind::ExitBlock | Kind::Begin | Kind::Finish, of) => {
                let name = of.map_or_else(|| "a block".to_owned(), |method| block_name(symbols, method));
                let name = symbols.string(&name);
                symbols.blocks.intern(Block { name })
            }
            _ => BlockId(0),
        };
        let class = match (kind, field.and_then(|field| symbols.fields.get(field).class)) {
            (_, Some(class)) => class,
            (Kind::ArrayRead | Kind::ArrayWrite | Kind::RangeRead | Kind::RangeWrite, _)
                if !text.is_empty() =>
            {
                symbols.class(&text.replace('/', "."))
            }
            (Kind::Freeze, _) => of_class.map_or(self.any_class, |(class, _)| class),
            _ => self.any_class,
        };
        let file = of_class.and_then(|(_, file)| file);
        let line = i32::try_from(line).unwrap_or_default();
        let taken = (!taken.is_empty()).then(|| symbols.string(taken));
        let site = symbols.sites.intern(Site { method: of, file, line, caller: None, of: taken });
        let purpose = symbols.string(text);
        let flow = if kind == Kind::FlowUse { self.flow_to(site, operand)? } else { None };
        let known = Known { kind: Some(kind), site, field, class, block, purpose, flow };
        let at = place(number, self.entries)?;
        if self.sites.len() <= at {
            self.sites.resize(at + 1, UNKNOWN);
            self.plain.resize(at + 1, NOT_PLAIN);
        }
        if let (Kind::Read | Kind::Write, Some(field), Some(plain)) = (kind, field, self.plain.get_mut(at)) {
            let short = short(field).unwrap_or(NO_FIELD);
            *plain = Plain { field, short, place: Access::new(VarId(0), site, kind == Kind::Write).place() };
        }
        if let Some(place) = self.sites.get_mut(at) {
            *place = known;
        }
        Ok(())
    }

    /// The flow that is used at a site. The first of its uses makes it known.
    fn flow_to(&mut self, to: SiteId, read: u32) -> Result<Option<FlowId>, String> {
        let symbols = &mut self.symbols;
        let from = self.sites.get_mut(read as usize).filter(|from| from.kind == Some(Kind::FlowRead));
        let from = from.ok_or("a use of a flow that is read nowhere")?;
        if from.flow.is_none() {
            let kind = FlowKind::named(symbols.str(from.purpose)).unwrap_or_default();
            from.flow = Some(symbols.flows.push(Flow { from: from.site, to, kind }));
        }
        Ok(from.flow)
    }

    fn thread_entry(&mut self, number: u32, name: &str, page: u32) {
        if !self.threads.contains_key(&number) {
            // Names need not be unique in the program, but they are in a trace.
            let plain = if name.is_empty() { format!("thread-{number}") } else { name.to_owned() };
            let mut name = self.symbols.string(&plain);
            if !self.names_taken.insert(name) {
                name = self.symbols.string(&format!("{plain}#{number}"));
                self.names_taken.insert(name);
            }
            self.threads.insert(number, self.symbols.threads.push(Thread { name }));
        }
        if page != 0 && self.with_chunk.insert(number) {
            self.begun.push(Begun { number, page });
        }
    }

    fn frame(&mut self, frame: &Frame) -> SiteId {
        let symbols = &mut self.symbols;
        let class = symbols.class(&frame.class.replace('/', "."));
        let name = symbols.string(&frame.method);
        let method = Some(symbols.methods.intern(Method { class, name }));
        let file = (!frame.file.is_empty()).then(|| symbols.string(&frame.file));
        let line = i32::try_from(frame.line).unwrap_or_default();
        symbols.sites.intern(Site { method, file, line, ..Site::NOWHERE })
    }
}

/// `pkg.Class.method`, without parameters.
fn block_name(symbols: &Symbols, method: MethodId) -> String {
    let method = symbols.methods.get(method);
    let name = symbols.str(method.name);
    let name = name.split_once('(').map_or(name, |(name, _)| name);
    format!("{}.{name}", symbols.class_name(method.class))
}

fn place(number: u32, entries: usize) -> Result<usize, String> {
    let at = number as usize;
    if at == 0 || at > entries.saturating_add(AHEAD) {
        return Err(format!("number {number} after {entries} entries: numbers begin at 1 and have no holes"));
    }
    Ok(at)
}

fn put<T: Clone>(rows: &mut Vec<Option<T>>, number: u32, row: T, entries: usize) -> Result<(), String> {
    let at = place(number, entries)?;
    if rows.len() <= at {
        rows.resize(at + 1, None);
    }
    if let Some(place) = rows.get_mut(at) {
        *place = Some(row);
    }
    Ok(())
}

fn get<T: Clone>(rows: &[Option<T>], number: u32, what: &str) -> Result<T, String> {
    let row = rows.get(number as usize).cloned().flatten();
    row.ok_or_else(|| format!("{what} number {number} has no entry before the one that refers to it"))
}
