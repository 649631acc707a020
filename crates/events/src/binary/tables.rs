//! Symbols in the binary form: for each table how many rows are new, and the rows.
//!
//! Ids are implicit: rows are numbered in the order in which they come. Only objects and variables that take the
//! place of freed ones name theirs.

use super::varint::{Broken, Bytes, put};
use crate::symbols::{
    Block, Channel, Class, Field, Flow, FlowKind, Lock, Method, Object, Site, Slot, Stack, Thread, Variable,
};
use crate::{ClassId, FieldId, Gap, MethodId, ObjectId, SiteId, StrId, Symbols, ThreadId, VarId};

/// How many rows of each table a writer has written.
#[derive(Default)]
pub struct Written {
    strings: usize,
    threads: usize,
    classes: usize,
    methods: usize,
    fields: usize,
    sites: usize,
    objects: usize,
    locks: usize,
    variables: usize,
    channels: usize,
    blocks: usize,
    flows: usize,
    stacks: usize,
}

impl Written {
    /// How many rows there are that are not written yet.
    fn new_rows(&self, symbols: &Symbols) -> usize {
        let tables = [
            (symbols.strings().len(), self.strings),
            (symbols.threads.len(), self.threads),
            (symbols.classes.len(), self.classes),
            (symbols.methods.len(), self.methods),
            (symbols.fields.len(), self.fields),
            (symbols.sites.len(), self.sites),
            (symbols.objects().len(), self.objects),
            (symbols.locks.len(), self.locks),
            (symbols.variables().len(), self.variables),
            (symbols.channels.len(), self.channels),
            (symbols.blocks.len(), self.blocks),
            (symbols.flows.len(), self.flows),
            (symbols.stacks.len(), self.stacks),
        ];
        tables.iter().map(|(all, written)| all - written).sum()
    }
}

/// Zero for nothing, else the id and one.
fn put_option(out: &mut Vec<u8>, id: Option<u32>) {
    put(out, id.map_or(0, |id| u64::from(id) + 1));
}

fn option(bytes: &mut Bytes<'_>) -> Result<Option<u32>, Broken> {
    Ok(match bytes.u64()? {
        0 => None,
        n => Some(u32::try_from(n - 1).map_err(|_| Broken)?),
    })
}

fn put_object(out: &mut Vec<u8>, row: &Object) {
    put(out, u64::from(row.class.0));
    put(out, row.label);
}

fn put_variable(out: &mut Vec<u8>, row: &Variable) {
    put_option(out, row.object.map(|id| id.0));
    match row.slot {
        Slot::Field(field) => put(out, u64::from(field.0) << 1),
        Slot::Elements { first, count, step } => {
            put(out, u64::from(first) << 1 | 1);
            // No elements at all are none that follow one another: the step and their number come after that.
            if step != 1 {
                put(out, 0);
                put(out, u64::from(step));
            }
            put(out, u64::from(count));
        }
    }
}

/// The most rows that one list holds: a frame must not become too long.
const ROWS: usize = 1 << 16;
/// The bytes of strings after which no further one comes into a list.
const BYTES: usize = 4 << 20;

/// Appends what is new in the tables, the rows that took the place of others, and the gaps. False if that was too much
/// for one list and there is more. A table comes only when all those before it are complete, since its rows refer to
/// theirs.
pub fn put_new(
    out: &mut Vec<u8>,
    symbols: &Symbols,
    replaced: (&[ObjectId], &[VarId]),
    written: &mut Written,
    gaps: &[Gap],
) -> bool {
    // Strings may be long, so they are limited by their bytes, too; at least one comes.
    let new = &symbols.strings()[written.strings..];
    let mut length = 0;
    let fits = |text: &usize| {
        let had_room = length < BYTES;
        length += text;
        had_room
    };
    let strings = new.iter().map(|text| text.len()).take(ROWS).take_while(fits).count();
    let complete = written.new_rows(symbols) <= ROWS && strings == new.len();
    let nothing = (&[][..], &[][..], &[][..]);
    let (objects, variables, gaps) = if complete { (replaced.0, replaced.1, gaps) } else { nothing };
    put(out, strings as u64);
    for text in &new[..strings] {
        put(out, text.len() as u64);
        out.extend_from_slice(text.as_bytes());
    }
    written.strings += strings;
    let mut room = if strings == new.len() { ROWS - strings } else { 0 };
    macro_rules! rows {
        ($rows:expr, $written:expr) => {{
            let new = &$rows[*$written..];
            let now = new.len().min(room);
            room -= now;
            *$written += now;
            put(out, now as u64);
            &new[..now]
        }};
    }
    for row in rows!(symbols.threads.rows(), &mut written.threads) {
        put(out, u64::from(row.name.0));
    }
    for row in rows!(symbols.classes.rows(), &mut written.classes) {
        put(out, u64::from(row.name.0));
        put(out, u64::from(row.loader));
    }
    for row in rows!(symbols.methods.rows(), &mut written.methods) {
        put(out, u64::from(row.class.0));
        put(out, u64::from(row.name.0));
    }
    for row in rows!(symbols.fields.rows(), &mut written.fields) {
        put_option(out, row.class.map(|id| id.0));
        put(out, u64::from(row.name.0) << 1 | u64::from(row.is_final));
    }
    for row in rows!(symbols.sites.rows(), &mut written.sites) {
        put_option(out, row.method.map(|id| id.0));
        put_option(out, row.file.map(|id| id.0));
        // Zigzag: RAPID's places may be negative.
        put(out, u64::from(((row.line << 1) ^ (row.line >> 31)) as u32));
        put_option(out, row.caller.map(|id| id.0));
        put_option(out, row.of.map(|id| id.0));
    }
    for row in rows!(symbols.objects().rows(), &mut written.objects) {
        put_object(out, row);
    }
    put(out, objects.len() as u64);
    for &id in objects {
        put(out, u64::from(id.0));
        put_object(out, symbols.objects().get(id));
    }
    for row in rows!(symbols.locks.rows(), &mut written.locks) {
        match row {
            Lock::Of(object) => put(out, u64::from(object.0) << 1),
            Lock::Named(name) => put(out, u64::from(name.0) << 1 | 1),
        }
    }
    for row in rows!(symbols.variables().rows(), &mut written.variables) {
        put_variable(out, row);
    }
    put(out, variables.len() as u64);
    for &id in variables {
        put(out, u64::from(id.0));
        put_variable(out, symbols.variables().get(id));
    }
    for row in rows!(symbols.channels.rows(), &mut written.channels) {
        put(out, u64::from(row.name.0));
    }
    for row in rows!(symbols.blocks.rows(), &mut written.blocks) {
        put(out, u64::from(row.name.0));
    }
    for row in rows!(symbols.flows.rows(), &mut written.flows) {
        put(out, u64::from(row.from.0));
        put(out, u64::from(row.to.0));
        put(out, u64::from(row.kind.number()));
    }
    for row in rows!(symbols.stacks.rows(), &mut written.stacks) {
        put(out, u64::from(row.thread.0));
        put(out, u64::from(row.site.0));
        put(out, row.callers.len() as u64);
        row.callers.iter().for_each(|site| put(out, u64::from(site.0)));
    }
    debug_assert!(!complete || room > 0 || written.new_rows(symbols) == 0, "what is complete had room");
    put(out, gaps.len() as u64);
    for gap in gaps {
        for text in [&gap.what, &gap.why] {
            put(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        put(out, gap.count);
    }
    complete
}

fn text<'a>(bytes: &mut Bytes<'a>) -> Result<&'a str, Broken> {
    let n = usize::try_from(bytes.u64()?).map_err(|_| Broken)?;
    str::from_utf8(bytes.slice(n)?).map_err(|_| Broken)
}

/// A reference to a row that must be there already.
fn known(bytes: &mut Bytes<'_>, len: usize) -> Result<u32, Broken> {
    within(bytes.u32()?, len)
}

fn within(id: u32, len: usize) -> Result<u32, Broken> {
    if (id as usize) < len { Ok(id) } else { Err(Broken) }
}

fn known_option(bytes: &mut Bytes<'_>, len: usize) -> Result<Option<u32>, Broken> {
    option(bytes)?.map(|id| within(id, len)).transpose()
}

fn object(bytes: &mut Bytes<'_>, symbols: &Symbols) -> Result<Object, Broken> {
    Ok(Object { class: ClassId(known(bytes, symbols.classes.len())?), label: bytes.u64()? })
}

fn variable(bytes: &mut Bytes<'_>, symbols: &Symbols) -> Result<Variable, Broken> {
    let object = known_option(bytes, symbols.objects().len())?.map(ObjectId);
    let slot = bytes.u64()?;
    let number = u32::try_from(slot >> 1).map_err(|_| Broken)?;
    let slot = if slot & 1 == 0 {
        Slot::Field(FieldId(within(number, symbols.fields.len())?))
    } else {
        let (count, step) = match bytes.u32()? {
            0 => {
                let step = bytes.u32()?;
                (bytes.u32()?, step)
            }
            count => (count, 1),
        };
        Slot::elements(number, count, step).ok_or(Broken)?
    };
    Ok(Variable { object, slot })
}

/// Reads what [`put_new`] wrote.
pub fn take_new(bytes: &mut Bytes<'_>, symbols: &mut Symbols, gaps: &mut Vec<Gap>) -> Result<(), Broken> {
    for _ in 0..bytes.u64()? {
        symbols.push_string(text(bytes)?.into());
    }
    let strings = symbols.strings().len();
    for _ in 0..bytes.u64()? {
        symbols.threads.push(Thread { name: StrId(known(bytes, strings)?) });
    }
    for _ in 0..bytes.u64()? {
        symbols.classes.push(Class { name: StrId(known(bytes, strings)?), loader: bytes.u32()? });
    }
    for _ in 0..bytes.u64()? {
        let class = ClassId(known(bytes, symbols.classes.len())?);
        symbols.methods.push(Method { class, name: StrId(known(bytes, strings)?) });
    }
    for _ in 0..bytes.u64()? {
        let class = known_option(bytes, symbols.classes.len())?.map(ClassId);
        let name = bytes.u64()?;
        let id = within(u32::try_from(name >> 1).map_err(|_| Broken)?, strings)?;
        symbols.fields.push(Field { class, name: StrId(id), is_final: name & 1 == 1 });
    }
    for _ in 0..bytes.u64()? {
        let method = known_option(bytes, symbols.methods.len())?.map(MethodId);
        let file = known_option(bytes, strings)?.map(StrId);
        let line = bytes.u32()?;
        let line = (line >> 1) as i32 ^ -((line & 1) as i32);
        // A caller comes before the site it leads to, so chains of callers end.
        let caller = known_option(bytes, symbols.sites.len())?.map(SiteId);
        let of = known_option(bytes, strings)?.map(StrId);
        symbols.sites.push(Site { method, file, line, caller, of });
    }
    for _ in 0..bytes.u64()? {
        let row = object(bytes, symbols)?;
        let id = ObjectId(symbols.objects().len() as u32);
        symbols.define_object(id, row);
    }
    for _ in 0..bytes.u64()? {
        let id = ObjectId(known(bytes, symbols.objects().len())?);
        let row = object(bytes, symbols)?;
        symbols.define_object(id, row);
    }
    for _ in 0..bytes.u64()? {
        let lock = bytes.u64()?;
        let id = u32::try_from(lock >> 1).map_err(|_| Broken)?;
        symbols.locks.push(if lock & 1 == 0 {
            Lock::Of(ObjectId(within(id, symbols.objects().len())?))
        } else {
            Lock::Named(StrId(within(id, strings)?))
        });
    }
    for _ in 0..bytes.u64()? {
        let row = variable(bytes, symbols)?;
        let id = VarId(symbols.variables().len() as u32);
        symbols.define_variable(id, row);
    }
    for _ in 0..bytes.u64()? {
        let id = VarId(known(bytes, symbols.variables().len())?);
        let row = variable(bytes, symbols)?;
        symbols.define_variable(id, row);
    }
    for _ in 0..bytes.u64()? {
        symbols.channels.push(Channel { name: StrId(known(bytes, strings)?) });
    }
    for _ in 0..bytes.u64()? {
        symbols.blocks.push(Block { name: StrId(known(bytes, strings)?) });
    }
    for _ in 0..bytes.u64()? {
        let from = SiteId(known(bytes, symbols.sites.len())?);
        let to = SiteId(known(bytes, symbols.sites.len())?);
        let kind = FlowKind::of(bytes.u64()?).ok_or(Broken)?;
        symbols.flows.push(Flow { from, to, kind });
    }
    for _ in 0..bytes.u64()? {
        let thread = ThreadId(known(bytes, symbols.threads.len())?);
        let site = SiteId(known(bytes, symbols.sites.len())?);
        let mut callers = Vec::new();
        for _ in 0..bytes.u64()? {
            callers.push(SiteId(known(bytes, symbols.sites.len())?));
        }
        symbols.stacks.push(Stack { thread, site, callers });
    }
    for _ in 0..bytes.u64()? {
        let (what, why) = (text(bytes)?.to_owned(), text(bytes)?.to_owned());
        gaps.push(Gap { what, why, count: bytes.u64()? });
    }
    Ok(())
}
