//! The names behind the ids of a trace.
//!
//! Tables only grow while a trace is read, with one exception: when an object is freed, its index and those of its
//! variables are handed out again, so that memory follows the live heap.

use std::fmt::Write as _;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::op::{
    BlockId, ChannelId, ClassId, FieldId, FlowId, LockId, MethodId, ObjectId, SiteId, StackId, StrId,
    ThreadId, VarId,
};

/// A thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Its name, not necessarily unique in the program; the trace's writer makes it so.
    pub name: StrId,
}

/// A class, by its defining loader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// The full name, with dots.
    pub name: StrId,
    /// Tells classes of one name and different loaders apart; 0 for the first.
    pub loader: u32,
}

/// A method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Method {
    /// Its class.
    pub class: ClassId,
    /// Its name, with the descriptor if it is known: `withdraw(I)V`.
    pub name: StrId,
}

/// A field declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// The declaring class; none for the variables of a trace that knows no classes.
    pub class: Option<ClassId>,
    /// Its name.
    pub name: StrId,
    /// Whether it is final.
    pub is_final: bool,
}

/// A place in the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// The method, if it is known.
    pub method: Option<MethodId>,
    /// The source file, if it is known.
    pub file: Option<StrId>,
    /// The line; 0 where it is not known.
    pub line: i32,
    /// The call that led here, where the trace knows the very stack.
    pub caller: Option<SiteId>,
    /// Where the code takes the array, collection or lock from that it uses here, if it tells: `pkg.Class.field`,
    /// `pkg.Class.field[]` for what is an element.
    pub of: Option<StrId>,
}

/// The field of an object of a library that stands for all that it holds.
pub const CONTENTS: &str = "contents";

impl Site {
    /// A place of which nothing is known.
    pub const NOWHERE: Site = Site { method: None, file: None, line: 0, caller: None, of: None };
}

/// An object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    /// Its class.
    pub class: ClassId,
    /// Its number among the objects of the run; never used again.
    pub label: u64,
}

/// Which part of an object (or class) a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// A field.
    Field(FieldId),
    /// The array elements `first`, `first + step`, `first + 2 * step` and so on, made by [`Slot::elements`].
    Elements {
        /// The first index.
        first: u32,
        /// How many, at least 1.
        count: u32,
        /// How far each is from the next; 1 if there is only one, so that what is the same is equal.
        step: u32,
    },
}

impl Slot {
    /// Array elements, so many, each so far from the next. None if there are none, or if they lie beyond any array.
    pub fn elements(first: u32, count: u32, step: u32) -> Option<Self> {
        let step = if count == 1 { 1 } else { step };
        let last = u64::from(first) + u64::from(count.checked_sub(1)?) * u64::from(step);
        (step > 0 && last <= u64::from(u32::MAX)).then_some(Self::Elements { first, count, step })
    }
}

/// Array elements in brackets: `[5]`, `[0..100]`, `[1..100:2]` for every second, the end exclusive and just behind the last.
pub(crate) fn show_elements(out: &mut String, first: u32, count: u32, step: u32) {
    let behind = u64::from(first) + u64::from(count.saturating_sub(1)) * u64::from(step) + 1;
    let _ = match (count, step) {
        (1, _) => write!(out, "[{first}]"),
        (_, 1) => write!(out, "[{first}..{behind}]"),
        _ => write!(out, "[{first}..{behind}:{step}]"),
    };
}

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// The object; none for a static field.
    pub object: Option<ObjectId>,
    /// The part of it.
    pub slot: Slot,
}

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lock {
    /// The lock of an object, whose index is not used again for that reason.
    Of(ObjectId),
    /// A lock that only has a name.
    Named(StrId),
}

/// Something that only gives order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// What it is called.
    pub name: StrId,
}

/// What the name of a channel begins with that is the initialisation of a class; the class follows.
pub const INITIALISATION: &str = "initialisation of ";

/// Code whose atomicity is checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// What it is called: `pkg.Class.method`.
    pub name: StrId,
}

/// A value flow that is watched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Flow {
    /// Where the value was read.
    pub from: SiteId,
    /// Where it is used; if in several places, in one of them.
    pub to: SiteId,
    /// What is known of it.
    pub kind: FlowKind,
}

/// What the code says of a watched flow. The numbers are part of file formats and never change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum FlowKind {
    /// What is computed from the value is written back to where it was read.
    #[default]
    Back = 0,
    /// It is written beside that, under the same lock.
    Beside = 1,
    /// As one of these, but no other thread's write was found that could come in between.
    Unlikely = 2,
    /// It is used in any way: of interest to the paper only.
    Any = 3,
}

impl FlowKind {
    /// All of them, by number.
    pub const ALL: [FlowKind; 4] = [FlowKind::Back, FlowKind::Beside, FlowKind::Unlikely, FlowKind::Any];

    /// The kind of a number.
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The kind's number.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The word for it in text.
    pub const fn word(self) -> &'static str {
        match self {
            FlowKind::Back => "back",
            FlowKind::Beside => "beside",
            FlowKind::Unlikely => "unlikely",
            FlowKind::Any => "any",
        }
    }

    /// The kind that a word stands for.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// An example of how a thread reaches a site; of the place where it is started, how whoever starts it got there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Stack {
    /// The thread.
    pub thread: ThreadId,
    /// The site.
    pub site: SiteId,
    /// The calls that led there, innermost first.
    pub callers: Vec<SiteId>,
}

/// Rows with ids, in the order in which they appeared.
#[derive(Clone, Debug)]
pub struct Table<Id, Row> {
    rows: Vec<Row>,
    /// Built when the first row is looked up by its contents; a binary trace never does.
    index: FxHashMap<Row, u32>,
    indexed: usize,
    id: std::marker::PhantomData<Id>,
}

impl<Id, Row> Default for Table<Id, Row> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: FxHashMap::default(), indexed: 0, id: std::marker::PhantomData }
    }
}

impl<Id: From<u32> + Into<u32> + Copy, Row: Clone + Eq + Hash> Table<Id, Row> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row of an id.
    pub fn get(&self, id: Id) -> &Row {
        &self.rows[id.into() as usize]
    }

    /// All rows, in the order of their ids.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All ids with their rows.
    pub fn iter(&self) -> impl Iterator<Item = (Id, &Row)> {
        self.rows.iter().enumerate().map(|(i, row)| (Id::from(i as u32), row))
    }

    /// Adds a row without looking whether it is there already: for readers that number rows themselves.
    pub fn push(&mut self, row: Row) -> Id {
        self.rows.push(row);
        Id::from(self.rows.len() as u32 - 1)
    }

    /// The id of a row, which is added if it is new.
    pub fn intern(&mut self, row: Row) -> Id {
        for (i, known) in self.rows.iter().enumerate().skip(self.indexed) {
            self.index.insert(known.clone(), i as u32);
        }
        self.indexed = self.rows.len();
        if let Some(&i) = self.index.get(&row) {
            return Id::from(i);
        }
        let i = self.rows.len() as u32;
        self.index.insert(row.clone(), i);
        self.rows.push(row);
        self.indexed += 1;
        Id::from(i)
    }
}

/// Objects and variables, whose indices are used again.
#[derive(Clone, Debug, Default)]
struct Live {
    /// For each object its variables, for [`Symbols::free`].
    variables_of: Vec<Vec<VarId>>,
    /// Freed since the last [`Symbols::recycle`]: not to be used again yet.
    freed_objects: Vec<ObjectId>,
    freed_variables: Vec<VarId>,
    spare_objects: Vec<ObjectId>,
    spare_variables: Vec<VarId>,
    /// Rows that took the place of others since the last [`Symbols::recycle`].
    replaced_objects: Vec<ObjectId>,
    replaced_variables: Vec<VarId>,
}

/// Every table of a trace.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    strings: Vec<Box<str>>,
    string_index: FxHashMap<Box<str>, StrId>,
    strings_indexed: usize,
    /// Threads.
    pub threads: Table<ThreadId, Thread>,
    /// Classes.
    pub classes: Table<ClassId, Class>,
    /// Methods.
    pub methods: Table<MethodId, Method>,
    /// Field declarations.
    pub fields: Table<FieldId, Field>,
    /// Places in the code.
    pub sites: Table<SiteId, Site>,
    /// Locks.
    pub locks: Table<LockId, Lock>,
    /// Channels.
    pub channels: Table<ChannelId, Channel>,
    /// Blocks.
    pub blocks: Table<BlockId, Block>,
    /// Watched flows.
    pub flows: Table<FlowId, Flow>,
    /// Example stacks.
    pub stacks: Table<StackId, Stack>,
    objects: Table<ObjectId, Object>,
    variables: Table<VarId, Variable>,
    live: Live,
}

impl Symbols {
    /// Empty tables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a channel is the initialisation of a class ([`INITIALISATION`]): it gives order like any other, but whoever
    /// comes first does it for all, so it is no step of the code around it.
    pub fn is_initialisation(&self, channel: ChannelId) -> bool {
        self.str(self.channels.get(channel).name).starts_with(INITIALISATION)
    }

    /// The text of a string.
    pub fn str(&self, id: StrId) -> &str {
        &self.strings[id.index()]
    }

    /// All strings, in the order of their ids.
    pub fn strings(&self) -> &[Box<str>] {
        &self.strings
    }

    /// Adds a string without looking whether it is there already.
    pub fn push_string(&mut self, text: Box<str>) -> StrId {
        self.strings.push(text);
        StrId(self.strings.len() as u32 - 1)
    }

    /// The id of a string, which is added if it is new.
    pub fn string(&mut self, text: &str) -> StrId {
        for i in self.strings_indexed..self.strings.len() {
            self.string_index.insert(self.strings[i].clone(), StrId(i as u32));
        }
        self.strings_indexed = self.strings.len();
        if let Some(&id) = self.string_index.get(text) {
            return id;
        }
        let id = self.push_string(text.into());
        self.string_index.insert(text.into(), id);
        self.strings_indexed += 1;
        id
    }

    /// The thread of a name.
    pub fn thread(&mut self, name: &str) -> ThreadId {
        let name = self.string(name);
        self.threads.intern(Thread { name })
    }

    /// The class of a name, in the first loader that defined it.
    pub fn class(&mut self, name: &str) -> ClassId {
        let name = self.string(name);
        self.classes.intern(Class { name, loader: 0 })
    }

    /// All objects that live or have not been replaced yet, by index.
    pub fn objects(&self) -> &Table<ObjectId, Object> {
        &self.objects
    }

    /// All variables that live or have not been replaced yet, by index.
    pub fn variables(&self) -> &Table<VarId, Variable> {
        &self.variables
    }

    /// The id of an object.
    pub fn object(&mut self, object: Object) -> ObjectId {
        if let Some(id) = self.objects.find(&object) {
            return id;
        }
        match self.live.spare_objects.pop() {
            Some(id) => {
                self.objects.replace(id, object);
                self.live.replaced_objects.push(id);
                id
            }
            None => self.objects.intern(object),
        }
    }

    /// The id of a variable.
    pub fn variable(&mut self, variable: Variable) -> VarId {
        if let Some(id) = self.variables.find(&variable) {
            return id;
        }
        let id = match self.live.spare_variables.pop() {
            Some(id) => {
                self.variables.replace(id, variable);
                self.live.replaced_variables.push(id);
                id
            }
            None => self.variables.intern(variable),
        };
        self.belongs(id, variable);
        id
    }

    /// The row of object number `id`: the next number, or one that was freed. For readers that number rows themselves.
    pub fn define_object(&mut self, id: ObjectId, object: Object) -> bool {
        if id.index() > self.objects.len() {
            return false;
        }
        if id.index() == self.objects.len() {
            self.objects.push(object);
        } else {
            self.objects.rows[id.index()] = object;
            self.live.replaced_objects.push(id);
        }
        true
    }

    /// The row of variable number `id`, as for [`define_object`](Self::define_object).
    pub fn define_variable(&mut self, id: VarId, variable: Variable) -> bool {
        if id.index() > self.variables.len() {
            return false;
        }
        if id.index() == self.variables.len() {
            self.variables.push(variable);
        } else {
            self.variables.rows[id.index()] = variable;
            self.live.replaced_variables.push(id);
        }
        self.belongs(id, variable);
        true
    }

    fn belongs(&mut self, id: VarId, variable: Variable) {
        if let Some(object) = variable.object {
            if self.live.variables_of.len() <= object.index() {
                self.live.variables_of.resize_with(object.index() + 1, Vec::new);
            }
            self.live.variables_of[object.index()].push(id);
        }
    }

    /// The variables of an object.
    pub fn variables_of(&self, object: ObjectId) -> &[VarId] {
        self.live.variables_of.get(object.index()).map_or(&[], Vec::as_slice)
    }

    /// Gives the indices of an object and its variables back, from the next [`recycle`](Self::recycle) on.
    pub fn free(&mut self, object: ObjectId) {
        self.live.freed_objects.push(object);
        if let Some(of) = self.live.variables_of.get(object.index()) {
            self.live.freed_variables.extend_from_slice(of);
        }
    }

    /// Lets the indices freed so far be used again. Called by a source when a batch has been worked off.
    pub fn recycle(&mut self) {
        self.live.replaced_objects.clear();
        self.live.replaced_variables.clear();
        for id in std::mem::take(&mut self.live.freed_variables) {
            self.variables.unlink(id);
            self.live.spare_variables.push(id);
        }
        for id in std::mem::take(&mut self.live.freed_objects) {
            if let Some(of) = self.live.variables_of.get_mut(id.index()) {
                of.clear();
            }
            self.objects.unlink(id);
            // Locks are kept for good, and a lock must not come to mean another object.
            if self.locks.find(&Lock::Of(id)).is_none() {
                self.live.spare_objects.push(id);
            }
        }
    }

    /// Whether there is something for [`recycle`](Self::recycle) or [`let_go`](Self::let_go) to do.
    pub fn has_to_let_go(&self) -> bool {
        let live = &self.live;
        let [a, b] = [live.replaced_objects.is_empty(), live.replaced_variables.is_empty()];
        !(a && b && live.freed_variables.is_empty() && live.freed_objects.is_empty())
    }

    /// As [`recycle`](Self::recycle), for a source that numbers rows itself and so hands no index out again.
    pub fn let_go(&mut self) {
        self.live.replaced_objects.clear();
        self.live.replaced_variables.clear();
        self.live.freed_variables.clear();
        for id in std::mem::take(&mut self.live.freed_objects) {
            if let Some(of) = self.live.variables_of.get_mut(id.index()) {
                of.clear();
            }
        }
    }

    /// Objects and variables whose rows took the place of freed ones since the last batch.
    pub fn replaced(&self) -> (&[ObjectId], &[VarId]) {
        (&self.live.replaced_objects, &self.live.replaced_variables)
    }

    /// `pkg.Class`.
    pub fn class_name(&self, id: ClassId) -> &str {
        self.str(self.classes.get(id).name)
    }

    /// `pkg.Class.field`, or the bare name of a variable without a class.
    pub fn field_name(&self, id: FieldId) -> String {
        let field = self.fields.get(id);
        match field.class {
            Some(class) => format!("{}.{}", self.class_name(class), self.str(field.name)),
            None => self.str(field.name).to_owned(),
        }
    }

    /// Whether the field stands for all that an object of a library holds.
    pub fn is_contents(&self, id: FieldId) -> bool {
        self.str(self.fields.get(id).name) == CONTENTS
    }

    /// `pkg.Class@7`.
    pub fn object_name(&self, id: ObjectId) -> String {
        let object = self.objects.get(id);
        format!("{}@{}", self.class_name(object.class), object.label)
    }

    /// The lock as it is shown: `pkg.Class@7`, or its name.
    pub fn lock_name(&self, id: LockId) -> String {
        match *self.locks.get(id) {
            Lock::Of(object) => self.object_name(object),
            Lock::Named(name) => self.str(name).to_owned(),
        }
    }

    /// The lock without its object's number, as a fingerprint needs it: `pkg.Class`, or its name.
    pub fn lock_kind(&self, id: LockId) -> &str {
        match *self.locks.get(id) {
            Lock::Of(object) => self.class_name(self.objects.get(object).class),
            Lock::Named(name) => self.str(name),
        }
    }

    /// The variable without its object's number, as a fingerprint needs it: `pkg.Class.field`, `int[][]`.
    pub fn variable_kind(&self, id: VarId) -> String {
        let variable = *self.variables.get(id);
        match variable.slot {
            Slot::Field(field) => self.field_name(field),
            Slot::Elements { .. } => match variable.object {
                Some(object) => format!("{}[]", self.class_name(self.objects.get(object).class)),
                None => "[]".to_owned(),
            },
        }
    }

    /// The variable as it is shown: `pkg.Class@7.field`, `pkg.Class.field`, `int[]@3[5..9]`.
    pub fn variable_name(&self, id: VarId) -> String {
        let variable = *self.variables.get(id);
        let mut name = variable.object.map(|object| self.object_name(object)).unwrap_or_default();
        match variable.slot {
            Slot::Field(field) if variable.object.is_some() => {
                let _ = write!(name, ".{}", self.str(self.fields.get(field).name));
            }
            Slot::Field(field) => name = self.field_name(field),
            Slot::Elements { first, count, step } => show_elements(&mut name, first, count, step),
        }
        name
    }
}

impl<Id: From<u32> + Into<u32> + Copy, Row: Clone + Eq + Hash> Table<Id, Row> {
    fn find(&mut self, row: &Row) -> Option<Id> {
        for (i, known) in self.rows.iter().enumerate().skip(self.indexed) {
            self.index.insert(known.clone(), i as u32);
        }
        self.indexed = self.rows.len();
        self.index.get(row).map(|&i| Id::from(i))
    }

    fn unlink(&mut self, id: Id) {
        let i = id.into();
        if self.index.get(&self.rows[i as usize]) == Some(&i) {
            self.index.remove(&self.rows[i as usize]);
        }
    }

    fn replace(&mut self, id: Id, row: Row) {
        self.index.insert(row.clone(), id.into());
        self.rows[id.into() as usize] = row;
    }
}
