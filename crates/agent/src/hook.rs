//! Decides what is woven of each class that the JVM loads, and has it woven.
//!
//! A class that cannot be woven runs as it was, and the log of names says so as a gap.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use events::models::{Models, Placement};
use events::plan::ClassFacts;
use events::session::counts::Left;
use events::session::{Entry, Kind, names};
use instrument::{Blocks, Scope};

use crate::classes::{OtherField, Places};
use crate::counts::Counts;
use crate::jvm::{Jni, jclass, jobject};
use crate::options::Options;
use crate::sites::COMMON;
use crate::{Agent, natives, others, patterns};

/// The tables that come with Raddle and those of the user, as far as they speak of this Java.
pub fn models(options: &Options, java: u16) -> Result<Models, String> {
    let told = |errors: Vec<events::models::ModelError>| {
        errors.first().map_or_else(String::new, ToString::to_string)
    };
    let mut models = Models::builtin().map_err(told)?;
    for path in &options.models {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        models.add(&path.display().to_string(), &text).map_err(told)?;
    }
    models.keep_jdk(java);
    Ok(models)
}

/// What decides about classes.
pub struct Hook {
    pub models: Models,
    /// Classes of the JDK that have lines of their own.
    modelled: HashSet<String>,
    blocks: Blocks,
    finals: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    leave: Vec<String>,
    /// Whether woven code may call the probe yet.
    ready: AtomicBool,
    /// The platform loader, and the probe's method for ended threads: global references.
    platform: AtomicUsize,
    probe: AtomicUsize,
    ended: AtomicUsize,
    /// The class that is told of waits, and its method.
    waits: AtomicUsize,
    wait_begins: AtomicUsize,
    counts: Counts,
}

impl Hook {
    /// Nothing is woven until the probe is there.
    pub fn new(models: Models, options: &Options) -> Self {
        let held = models.lines().iter().filter(|line| line.placement != Placement::Call);
        let modelled = held.map(|line| line.class.replace('.', "/"));
        Self {
            modelled: modelled.collect(),
            models,
            blocks: if options.export { Blocks::ExportSynch } else { Blocks::Synch },
            finals: options.finals,
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            leave: options.leave.clone(),
            ready: AtomicBool::new(false),
            platform: AtomicUsize::new(0),
            probe: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            waits: AtomicUsize::new(0),
            wait_begins: AtomicUsize::new(0),
            counts: Counts::new(&options.include),
        }
    }

    /// The probe is there.
    pub fn begin(&self, platform: jobject, probe: jclass, ended: usize) {
        self.platform.store(platform as usize, Ordering::Release);
        self.probe.store(probe as usize, Ordering::Release);
        self.ended.store(ended, Ordering::Release);
        self.ready.store(true, Ordering::Release);
    }

    /// Waits are told from now on.
    pub fn tell_waits(&self, waits: jclass, begins: usize) {
        self.waits.store(waits as usize, Ordering::Release);
        self.wait_begins.store(begins, Ordering::Release);
    }

    /// A thread is about to wait on a monitor.
    pub fn wait_begins(&self, jni: Jni, thread: jobject, monitor: jobject) {
        let (waits, begins) = (self.waits.load(Ordering::Acquire), self.wait_begins.load(Ordering::Acquire));
        if waits != 0 && begins != 0 {
            jni.tell_both(waits as jclass, begins as *mut _, thread, monitor);
        }
    }

    /// Whether a class that is loaded already has to be woven anew.
    pub fn wants(&self, name: &str) -> bool {
        self.modelled.contains(name) || name == REFLECTION || name == VIRTUAL_THREAD
    }

    /// A thread is about to end.
    pub fn thread_ended(&self, jni: Jni, thread: jobject) {
        let (probe, ended) = (self.probe.load(Ordering::Acquire), self.ended.load(Ordering::Acquire));
        if probe != 0 && ended != 0 {
            jni.tell(probe as jclass, ended as *mut _, thread);
        }
    }

    /// Whether a class that is loaded already should have been woven, and is too late for it.
    pub fn is_late(&self, jni: Jni, loader: jobject, name: &str) -> bool {
        !name.starts_with('[')
            && matches!(self.scope(Some(jni), loader, name).0, Scope::Whole | Scope::SyncOnly)
    }

    /// What is woven of a class; of one of the program's own also why it is not all.
    fn scope(&self, jni: Option<Jni>, loader: jobject, name: &str) -> (Scope, Option<Left>) {
        if name.starts_with("raddle/rt/") {
            return (Scope::Leave, None);
        }
        let dotted = name.replace('/', ".");
        let alone = patterns::any(&self.leave, &dotted);
        let platform = self.platform.load(Ordering::Acquire) as jobject;
        let of_the_jdk = loader.is_null()
            || jni.is_some_and(|jni| jni.same(loader, platform))
            || ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|prefix| name.starts_with(prefix));
        if of_the_jdk {
            let scope = if self.modelled.contains(name) && !alone { Scope::ModelOnly } else { Scope::Leave };
            return (scope, None);
        }
        if alone {
            return (Scope::Leave, Some(Left::Alone));
        }
        let unwatched = self.include.is_empty() && self.models.is_unwatched(name);
        let chosen = self.include.is_empty() || patterns::any(&self.include, &dotted);
        if !chosen || patterns::any(&self.exclude, &dotted) {
            (Scope::SyncOnly, Some(Left::Unchosen))
        } else if unwatched {
            (Scope::SyncOnly, Some(Left::Unwatched))
        } else {
            (Scope::Whole, None)
        }
    }
}

const REFLECTION: &str = "jdk/internal/reflect/Reflection";
const THREAD: &str = "java/lang/Thread";
const VIRTUAL_THREAD: &str = "java/lang/VirtualThread";

impl Agent {
    /// Writes down what every session has.
    pub fn begin(&self) {
        let mut entries = Vec::new();
        for (number, kind) in (1..).zip(COMMON) {
            self.sites.set(number, kind, 0, 0);
            let kind = kind.number();
            Entry::Site {
                number,
                method: 0,
                line: 0,
                kind,
                operand: 0,
                text: String::new(),
                of: String::new(),
            }
            .encode(&mut entries);
        }
        self.session.names(&entries);
    }

    /// Writes down how many classes there were.
    pub fn tell_counts(&self) {
        let mut entries = Vec::new();
        self.hook.counts.encode(&mut entries);
        let beyond = self.session.beyond().div_ceil(1 << 20);
        let what = "MiB beyond --budget, for as many threads".to_owned();
        Entry::Count { what, number: beyond }.encode(&mut entries);
        for (what, number) in self.planned.counts() {
            Entry::Count { what: what.to_owned(), number }.encode(&mut entries);
        }
        self.session.names(&entries);
    }

    /// The woven bytes of a class; None: it stays as it is.
    pub fn weave(
        &self,
        jni: Option<Jni>,
        redefined: jclass,
        loader: jobject,
        name: &[u8],
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let name = String::from_utf8_lossy(name).into_owned();
        let ready = self.hook.ready.load(Ordering::Acquire);
        if name == REFLECTION && ready {
            let why = "the program sees fields and methods that were added to its classes";
            return self.or_gap(&name, why, instrument::hide_members(bytes));
        }
        let woven = if ready { self.weave_ready(jni, redefined, loader, &name, bytes) } else { None };
        if name == THREAD {
            // Its fields have to be there from the first thread on.
            let why = "threads have no place for what they record";
            return self.or_gap(&name, why, instrument::jdk::thread(woven.as_deref().unwrap_or(bytes)));
        }
        if name == VIRTUAL_THREAD && ready {
            let why = "the ends of virtual threads are not seen";
            let changed = instrument::jdk::virtual_thread(woven.as_deref().unwrap_or(bytes));
            return self.or_gap(&name, why, changed).or(woven);
        }
        woven
    }

    /// A class of the JDK as it has to be; a gap if it cannot be made so, which says what that means.
    fn or_gap(
        &self,
        name: &str,
        why: &str,
        changed: Result<Vec<u8>, impl std::fmt::Display>,
    ) -> Option<Vec<u8>> {
        let failure = match changed {
            Ok(changed) => return Some(changed),
            Err(failure) => failure,
        };
        let mut entry = Vec::new();
        let what = format!("class {}", name.replace('/', "."));
        Entry::Gap { what, why: format!("{why}: {failure}"), count: 1 }.encode(&mut entry);
        self.session.names(&entry);
        None
    }

    /// A class of the program has been dealt with.
    fn count(&self, name: &str, left: Option<Left>) {
        self.hook.counts.class(&name.replace('/', "."), left);
        if self.hook.counts.are_due() {
            self.tell_counts();
        }
    }

    fn weave_ready(
        &self,
        jni: Option<Jni>,
        redefined: jclass,
        loader: jobject,
        name: &str,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let (scope, left) = self.hook.scope(jni, loader, name);
        if scope == Scope::Leave {
            if left.is_some() && redefined.is_null() {
                self.count(name, left);
            }
            return None;
        }
        let ours = scope != Scope::ModelOnly && redefined.is_null();
        let number = self.classes.loader(self.jvmti, loader);
        let anew = scope != Scope::ModelOnly && !redefined.is_null();
        if anew && !self.classes.with(number, name, |known, _| known.woven) {
            // It was loaded without our members, and cannot get them any more.
            return None;
        }
        let loader = number;
        let mut weaving = Weaving {
            agent: self,
            loader,
            classes: Vec::new(),
            entries: Vec::new(),
            class: 0,
            name: name.to_owned(),
            in_the_jdk: scope == Scope::ModelOnly,
            owners: HashMap::new(),
            places: Places::default(),
        };
        let options = instrument::Options {
            scope,
            blocks: self.hook.blocks,
            finals: self.hook.finals,
            kept: self.options.unfiltered,
        };
        let facts = match scope {
            Scope::Whole => self.planned.facts(name, bytes, &mut weaving.entries),
            _ => None,
        };
        let woven = instrument::weave(
            bytes,
            &World { agent: self, loader, facts },
            &self.hook.models,
            &mut weaving,
            &options,
        );
        let (woven, left) = match woven {
            Ok(Some(woven)) => {
                if scope == Scope::Whole {
                    self.classes.with(loader, name, |known, _| known.has_numbers = true);
                }
                if ours {
                    self.classes.has_places(loader, name, std::mem::take(&mut weaving.places));
                    self.classes.with(loader, name, |known, _| known.woven = true);
                }
                (Some(woven), left)
            }
            Ok(None) => (None, left.or(Some(Left::Empty))),
            Err(failure) => {
                let what = format!("class {}", name.replace('/', "."));
                Entry::Gap { what, why: failure.to_string(), count: 1 }.encode(&mut weaving.entries);
                (None, Some(Left::Failed))
            }
        };
        // Before anything refers to what is new, classes before their members.
        weaving.classes.append(&mut weaving.entries);
        self.names(&weaving.classes);
        if ours {
            self.count(name, left);
        }
        if let (Some(folder), Some(woven)) = (&self.options.dump, &woven) {
            let _ = std::fs::write(folder.join(format!("{}.class", name.replace('/', "."))), woven);
        }
        woven
    }
}

impl Agent {
    /// Writes to the log of names, after what it may refer to.
    pub fn names(&self, entries: &[u8]) {
        self.classes.write(entries, |entries| self.session.names(entries));
    }

    /// The number of a field by the class that declares it.
    pub fn field(&self, loader: i64, class: &str, name: String, descriptor: String, access: u16) -> u32 {
        let (_, number, _) = self.classes.field(loader, class, &name, &descriptor, field_flags(access));
        self.names(&[]);
        number
    }

    /// Which field a site means is known now, and whether it is volatile. The site that says so: a new one, since whoever
    /// reads may know the old one already.
    pub fn link(
        &self,
        site: u32,
        loader: i64,
        class: &str,
        name: String,
        descriptor: String,
        access: u16,
    ) -> u32 {
        let Some((method, line)) = self.classes.site(site) else { return site };
        let operand = self.field(loader, class, name, descriptor, access);
        let of = self.classes.number(loader, class);
        let writes = self.sites.kind(site) == Kind::Write.number();
        let kind = match (writes, access & VOLATILE != 0) {
            (false, false) => Kind::Read,
            (true, false) => Kind::Write,
            (false, true) => Kind::VolatileRead,
            (true, true) => Kind::VolatileWrite,
        };
        let Some(number) = self.sites.add(kind, of, 0) else { return site };
        let mut entry = Vec::new();
        let kind = kind.number();
        Entry::Site { number, method, line, kind, operand, text: String::new(), of: String::new() }
            .encode(&mut entry);
        self.names(&entry);
        number
    }
}

/// The access flag of a volatile field.
const VOLATILE: u16 = 0x0040;

struct World<'a> {
    agent: &'a Agent,
    loader: i64,
    facts: Option<&'a ClassFacts>,
}

impl instrument::World for World<'_> {
    fn is_woven(&self, _class: &[u8]) -> bool {
        // A superclass may be loaded after its subclass was woven, and both must come out the same every time: so every
        // class keeps numbers for itself.
        let _ = (self.agent, self.loader);
        false
    }

    fn ranges_loops(&self) -> bool {
        !self.agent.options.one_by_one
    }

    fn facts(&self) -> Option<&ClassFacts> {
        self.facts
    }
}

/// Numbers what is met in one class and writes it down.
struct Weaving<'a> {
    agent: &'a Agent,
    loader: i64,
    classes: Vec<u8>,
    entries: Vec<u8>,
    class: u32,
    name: String,
    in_the_jdk: bool,
    /// The classes of the fields that were met.
    owners: HashMap<u32, u32>,
    /// Where its objects keep what is known of its fields.
    places: Places,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl instrument::Sites for Weaving<'_> {
    fn class(&mut self, name: &[u8], source: Option<&[u8]>) -> u32 {
        let name = text(name);
        let number = self.agent.classes.number(self.loader, &name);
        let file = source.map(text).unwrap_or_default();
        if self.class != number {
            Entry::Class { number, name: name.replace('/', "."), file }.encode(&mut self.classes);
        }
        if name == self.name {
            self.class = number;
        }
        number
    }

    fn method(&mut self, class: u32, name: &[u8], descriptor: &[u8]) -> u32 {
        let number = self.agent.sites.method();
        Entry::Method { number, class, name: text(name), descriptor: text(descriptor) }
            .encode(&mut self.entries);
        number
    }

    fn field(&mut self, owner: &[u8], name: &[u8], descriptor: &[u8], flags: Option<u16>) -> u32 {
        let (owner, name, descriptor) = (text(owner), text(name), text(descriptor));
        let known = flags.map_or(0, field_flags);
        let (class, number, new) = self.agent.classes.field(self.loader, &owner, &name, &descriptor, known);
        self.owners.insert(number, class);
        // What another class has seen of it was less.
        if !new && flags.is_some() {
            Entry::Field { number, class, name, descriptor, flags: known }.encode(&mut self.entries);
        }
        number
    }

    fn site(&mut self, site: instrument::Site<'_>) -> Option<u32> {
        let kind = site.kind;
        let choice = if site.effects.is_empty() { 0 } else { self.agent.effects.add(&site, self.in_the_jdk) };
        // The class that must have been initialised before a field of it can be used.
        // What a use of a watched value refers to is another site.
        let field = if kind == Kind::FlowUse { 0 } else { site.operand };
        let class = self.owners.get(&field).copied().unwrap_or(self.class);
        let number = self.agent.sites.add(kind, class, choice)?;
        Entry::Site {
            number,
            method: site.method,
            line: u32::from(site.line),
            kind: kind.number(),
            operand: site.operand,
            text: match site.text.strip_prefix('[') {
                Some("L") => "Object[]".to_owned(),
                Some(_) => natives::for_people(site.text),
                None => site.text.to_owned(),
            },
            of: site.of.to_owned(),
        }
        .encode(&mut self.entries);
        if field != 0 {
            self.agent.classes.note_site(number, site.method, u32::from(site.line));
        }
        Some(number)
    }

    fn own(&mut self, site: u32, place: instrument::Place, always: bool) {
        if let Some(known) = others::known(place, always) {
            self.agent.sites.choose(site, known);
        }
    }

    fn other(&mut self, site: u32, field: instrument::OtherField<'_>) {
        let [owner, name, descriptor] =
            [field.owner, field.name, field.descriptor].map(|part| text(part).into());
        self.agent.classes.note_other(site, OtherField { owner, name, descriptor, when: field.when });
    }

    fn place(&mut self, name: &[u8], descriptor: &[u8], place: instrument::Place) {
        self.places.insert((text(name).into(), text(descriptor).into()), place);
    }

    fn gap(&mut self, gap: instrument::Gap) {
        Entry::Gap { what: gap.method, why: gap.why, count: 1 }.encode(&mut self.entries);
    }

    fn spared(&mut self, why: instrument::Spared, count: u32) {
        self.agent.planned.spares(why, count);
    }
}

/// A field's flags in the log of names.
pub fn field_flags(access: u16) -> u32 {
    let mut flags = 0;
    for (bit, flag) in [(0x0008, names::STATIC), (0x0010, names::FINAL), (VOLATILE, names::VOLATILE)] {
        if access & bit != 0 {
            flags |= flag;
        }
    }
    flags
}
