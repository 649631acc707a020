//! Changing the code of one method: snippets go in, and every offset, frame and table is put right.
//!
//! ```
//! use classfile::{Class, Edit, Snippet, op};
//!
//! fn weave(bytes: &[u8]) -> classfile::Result<Vec<u8>> {
//!     let mut class = Class::parse(bytes)?;
//!     let mut probe = Snippet::new(); // straight-line code, made once, used often
//!     probe.int(&mut class.pool, 7)?.invoke_static(&mut class.pool, b"a/Probe", b"hit", b"(I)V")?;
//!     for method in 0..class.methods.len() {
//!         let Some(mut edit) = Edit::new(&class, method)? else { continue }; // abstract or native
//!         for step in edit.code().opcodes() {
//!             let (pc, opcode) = step?;
//!             if opcode == op::MONITORENTER {
//!                 edit.after(pc, &probe);
//!                 edit.cover_after(pc);
//!             }
//!         }
//!         edit.apply(&mut class)?; // true if anything was changed
//!     }
//!     class.write()
//! }
//! assert!(weave(b"no class").is_err());
//! ```
//!
//! All pcs are those of the method as it was when the edit began. Where code goes, around the instruction at `pc`:
//!
//! ```text
//!        (instruction before)                       its code inserted by
//!        ... after(previous pc)                     Edit::after            only when it was left by falling through
//!        ... entry (first instruction only)         Edit::entry            runs once, no jump comes here
//!        ... fall(pc)                               Edit::before_fall      not run by jumps to pc
//! pc:    ... before(pc)                             Edit::before           jumps to pc land here; so do handlers
//!        instruction, or its replacement            Edit::replace
//!        ... taken(pc)                              Edit::taken            run only when its condition jumps
//! ```
//! Several snippets at one place run in the order in which they were given. `Edit::before_returns` is `before` at every
//! return. What follows a jump, a return or a throw by falling through never runs and is left out.
//!
//! **Locals.** `new_local(kind)` is a slot of our own for use within one snippet, or from a snippet before an
//! instruction to one after it; a frame (a jump's target) forgets it. `method_local(value)` lives in the whole method:
//! the snippet given to `entry` must assign it; it is added to every frame, so that handlers may use it.
//!
//! **Handlers.** `handler(range, catch, order, body)`: `range` in pcs with a `Border` (`Around` also covers code inserted
//! at its two ends, `Inside` does not); `order` puts it before (`Inner`) or after (`Outer`) the existing entries; `body`
//! stands at the end of the method, starts with the exception on the stack, and ends in a throw or return. It may use
//! method-wide locals, and those of `this` and the parameters that the method keeps: `keeps_parameter` tells. A range may
//! not hold a constructor's call of `super(…)`: `initialised_from` says from where on it is over.
//! A **chain** (`handler_chain`) is several handlers over parts of one region, asked first: each body may fall into the
//! next, and what they throw goes to the handlers that cover the region, as if it had been thrown there.
//! Existing handlers cover what is inserted around the instructions they cover. `cover_after(pc)` also stretches those
//! that start behind `pc` over what was inserted after it: needed behind `monitorenter`, or the JIT gives up.
//!
//! **Limits.** 64 KiB of code, a full pool and the like are errors for which `Reason::is_limit` holds; the method and
//! the class then are as they were, but for unused constants: drop the class and keep the bytes.
//!
//! It does not check what a snippet does; a verifier will. It does not touch attributes of the code it does not know.

mod apply;
mod bodies;
mod kept;
mod layout;
mod maps;
mod tables;

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::class::{Attribute, Class};
use crate::code::{Code, has_short_sizes};
use crate::error::{Error, Reason, Result};
use crate::flow::Flow;
use crate::instruction::Kind;
use crate::op;
use crate::snippet::Snippet;
use crate::value::{Names, Value};
use layout::{Insertion, Place};

/// Slots and what they hold.
type Held = Vec<(u16, Value)>;

/// The changes to one method's code, gathered and then applied at once.
pub struct Edit<'a> {
    method: usize,
    code: Code<'a>,
    short_sizes: bool,
    insertions: Vec<Insertion>,
    /// The bytes of all snippets.
    store: Vec<u8>,
    /// The next free local slot.
    next_local: u32,
    method_locals: Vec<(u16, Value)>,
    handlers: Vec<NewHandler>,
    /// Pcs whose inserted code is covered by the ranges that start behind it.
    covered: Vec<u32>,
    /// Pcs whose inserted code is not covered by the ranges that end behind it.
    uncovered: Vec<u32>,
    /// The answer of `initialised_from`, once it is known.
    initialised_from: OnceCell<Option<u32>>,
}

/// A range of old pcs for a new handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first instruction covered.
    pub start: u32,
    /// The first instruction not covered any more; the code's length for all the rest.
    pub end: u32,
    /// What of the code inserted at the two ends is covered.
    pub border: Border,
}

/// Is code that was inserted at the ends of a range within it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// What stands before the first instruction and after the last is covered (but never what runs on entry).
    Around,
    /// Covered from the first instruction to the end of the last.
    Inside,
}

/// What a new handler catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catch {
    /// Everything.
    Any,
    /// A class, by the index of its constant.
    Class(u16),
}

/// Which handlers are asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// This one before all that exist.
    Inner,
    /// All that exist before this one.
    Outer,
}

struct NewHandler {
    /// At least one.
    ranges: Vec<Range>,
    /// Of a chain: its number, and the locals that hold something in all of it.
    chain: Option<(u32, Held)>,
    catch: Catch,
    order: Order,
    /// In the store.
    start: u32,
    length: u32,
    peak: i32,
}

impl<'a> Edit<'a> {
    /// Begins to edit the method at that position in `class.methods`; `None` if it has no code. A method can be edited
    /// once: to edit it again, write the class and parse it.
    pub fn new(class: &Class<'a>, method: usize) -> Result<Option<Edit<'a>>> {
        let Some(member) = class.methods.get(method) else {
            return Err(Error::refused(0, "there is no such method"));
        };
        let Some(attribute) = class.attribute(&member.attributes, b"Code") else { return Ok(None) };
        let body: &'a [u8] = match &attribute.body {
            Cow::Borrowed(body) => body,
            Cow::Owned(_) => return Err(Error::refused(0, "this method has been edited already")),
        };
        let short_sizes = has_short_sizes(class.major, class.minor);
        let code = Code::parse(body, attribute.offset, short_sizes)?;
        Ok(Some(Edit {
            method,
            short_sizes,
            insertions: Vec::new(),
            store: Vec::new(),
            next_local: u32::from(code.max_locals),
            method_locals: Vec::new(),
            handlers: Vec::new(),
            covered: Vec::new(),
            uncovered: Vec::new(),
            initialised_from: OnceCell::new(),
            code,
        }))
    }

    /// The code as it is.
    pub fn code(&self) -> &Code<'a> {
        &self.code
    }

    /// Has nothing been asked for yet?
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty() && self.handlers.is_empty() && self.method_locals.is_empty()
    }

    fn keep(&mut self, snippet: &Snippet) -> (u32, u32) {
        let start = self.store.len() as u32;
        self.store.extend_from_slice(snippet.bytes());
        (start, snippet.bytes().len() as u32)
    }

    fn insert(&mut self, pc: u32, place: Place, snippet: &Snippet) {
        if snippet.is_empty() && place != Place::Replace {
            return;
        }
        let (start, length) = self.keep(snippet);
        let (peak, net, falls) = (snippet.peak(), snippet.net(), snippet.falls_through());
        self.insertions.push(Insertion { pc, place, start, length, peak, net, falls });
    }

    /// Runs the snippet before the instruction at `pc`, however it is reached.
    pub fn before(&mut self, pc: u32, snippet: &Snippet) {
        self.insert(pc, Place::Before, snippet);
    }

    /// Runs the snippet before the instruction at `pc` when it is reached by falling through from the one before.
    pub fn before_fall(&mut self, pc: u32, snippet: &Snippet) {
        self.insert(pc, Place::Fall, snippet);
    }

    /// Runs the snippet after the instruction at `pc` when that ends without a jump or a throw.
    pub fn after(&mut self, pc: u32, snippet: &Snippet) {
        self.insert(pc, Place::After, snippet);
    }

    /// Runs the snippet once, when the method begins.
    pub fn entry(&mut self, snippet: &Snippet) {
        self.insert(0, Place::Entry, snippet);
    }

    /// Runs the snippet before every return.
    pub fn before_returns(&mut self, snippet: &Snippet) -> Result<()> {
        for step in self.code.opcodes() {
            let (pc, opcode) = step?;
            if op::is_return(opcode) {
                self.before(pc, snippet);
            }
        }
        Ok(())
    }

    /// Runs the snippet when the condition at `pc` jumps, before anything at the target.
    pub fn taken(&mut self, pc: u32, snippet: &Snippet) {
        self.insert(pc, Place::Taken, snippet);
    }

    /// Puts the snippet in the place of the instruction at `pc`. Two replacements follow each other.
    pub fn replace(&mut self, pc: u32, snippet: &Snippet) {
        self.insert(pc, Place::Replace, snippet);
    }

    fn take_local(&mut self, slots: u16) -> Result<u16> {
        let slot = self.next_local;
        self.next_local += u32::from(slots);
        match u16::try_from(slot) {
            Ok(slot) if self.next_local <= u32::from(u16::MAX) => Ok(slot),
            _ => Err(Error { offset: self.code.offset, reason: Reason::TableTooLarge("locals") }),
        }
    }

    /// A slot of our own that holds its value until the next frame at most.
    pub fn new_local(&mut self, kind: Kind) -> Result<u16> {
        self.take_local(kind.slots())
    }

    /// A slot of our own that holds its value in the whole method. The snippet given to [`Edit::entry`] must assign it.
    pub fn method_local(&mut self, value: Value) -> Result<u16> {
        if matches!(
            value,
            Value::Second | Value::UninitializedThis | Value::Uninitialized(_) | Value::ReturnAddress(_)
        ) {
            return Err(Error::refused(self.code.offset, "no local of the whole method holds this"));
        }
        let slot = self.take_local(value.slots())?;
        self.method_locals.push((slot, value));
        Ok(slot)
    }

    /// Catches what the instructions in `range` throw. `body` must end in a throw or return.
    pub fn handler(&mut self, range: Range, catch: Catch, order: Order, body: &Snippet) -> Result<()> {
        if body.is_empty() || body.falls_through() {
            let at = self.code.offset + range.start as usize;
            return Err(Error::refused(at, "a handler must end in a throw or return"));
        }
        self.check_range(range)?;
        let (start, length) = self.keep(body);
        let (ranges, peak) = (vec![range], body.peak());
        self.handlers.push(NewHandler { ranges, chain: None, catch, order, start, length, peak });
        Ok(())
    }

    fn check_range(&self, range: Range) -> Result<()> {
        if range.start >= range.end || range.end as usize > self.code.bytes.len() {
            let at = self.code.offset + range.start as usize;
            return Err(Error::refused(at, "a handler's range must hold an instruction"));
        }
        Ok(())
    }

    /// May the body of a handler over that range use `this` (slot 0 of an instance method) or the parameter in the slot?
    /// Not if the method stores to it, or one of its frames has forgotten it (as compilers do in code that never runs).
    /// Snippets must not store to it either.
    pub fn keeps_parameter(&self, class: &Class<'a>, range: Range, slot: u16) -> Result<bool> {
        let slots = kept::kept_slots(self, class, range, &mut Names::default())?;
        Ok(slots.get(usize::from(slot)).is_some_and(|value| !matches!(value, Value::Top | Value::Second)))
    }

    /// Lets the existing handlers whose range starts right behind the instruction at `pc` also cover what is inserted
    /// after it.
    pub fn cover_after(&mut self, pc: u32) {
        self.covered.push(pc);
    }

    /// Lets the existing handlers whose range ends right behind the instruction at `pc` not cover what is inserted
    /// after it (which they do otherwise).
    pub fn uncover_after(&mut self, pc: u32) {
        self.uncovered.push(pc);
    }

    /// The first pc from which on, in the order of the code, `this` is an ordinary object: behind the last instruction
    /// of a constructor that runs before `super(…)`. 0 in other methods; `None` if there is no such place.
    pub fn initialised_from(&self, class: &Class<'a>) -> Result<Option<u32>> {
        if let Some(known) = self.initialised_from.get() {
            return Ok(*known);
        }
        let found = self.find_initialised_from(class)?;
        Ok(*self.initialised_from.get_or_init(|| found))
    }

    fn find_initialised_from(&self, class: &Class<'a>) -> Result<Option<u32>> {
        if !self.is_constructor(class)? {
            return Ok(Some(0));
        }
        let mut from = 0;
        let mut last = 0;
        let mut flow = self.flow(class)?;
        let mut uninitialised = false;
        while let Some(step) = flow.next()? {
            if uninitialised {
                from = step.pc;
            }
            last = step.pc;
            uninitialised =
                step.state.is_some_and(|state| has_uninitialised_this(state.locals(), state.stack()));
        }
        Ok((!uninitialised && last >= from).then_some(from))
    }

    fn is_constructor(&self, class: &Class<'a>) -> Result<bool> {
        let name = class.methods.get(self.method).map(|method| class.pool.utf8(method.name)).transpose()?;
        Ok(name == Some(b"<init>") && class.super_class != 0)
    }

    fn flow<'c>(&self, class: &'c Class<'a>) -> Result<Flow<'c>>
    where
        'a: 'c,
    {
        match class.methods.get(self.method) {
            Some(method) => Flow::over(class, method, &self.code),
            None => Err(Error::refused(0, "there is no such method")),
        }
    }

    /// Makes the new code and puts it into the class. Says whether anything was changed.
    pub fn apply(self, class: &mut Class<'a>) -> Result<bool> {
        if self.is_empty() {
            return Ok(false);
        }
        let method = self.method;
        let body = apply::new_body(self, class)?;
        let Class { pool, methods, .. } = class;
        let code = methods.get_mut(method).and_then(|method| {
            method.attributes.iter_mut().find(|attribute| pool.utf8(attribute.name) == Ok(b"Code"))
        });
        match code {
            Some(attribute) => {
                *attribute = Attribute::new(attribute.name, body);
                Ok(true)
            }
            None => Err(Error::refused(0, "there is no such method")),
        }
    }
}

fn has_uninitialised_this(locals: &[Value], stack: &[Value]) -> bool {
    locals.contains(&Value::UninitializedThis) || stack.contains(&Value::UninitializedThis)
}
