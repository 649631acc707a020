//! Records to operations: what each kind of site means. The order in which threads are read is decided in `merge.rs`,
//! what may be told at all in `rules.rs`.

use super::Kind;
use super::merge::{BATCH, Reader, Stop};
use super::objects::{NO_FIELD, Part, WHOLE, Which};
use super::record::{
    self, DEFINES, EXTENDED, Extra, Hold, KNOWN, PLAIN, RANGE, STAMPED, STEPS, class_of, form_of, operand_of,
    site_of, stamp_of,
};
use super::rules::{By, Out};
use super::stream::{Got, Stream};
use super::tables::{Known, Tables};
use crate::symbols::CONTENTS;
use crate::{
    Access, Channel, ChannelId, ClassId, Event, Field, FieldId, INITIALISATION, LockId, Mode, Op, Stretches,
    ThreadId, TraceError, VarId,
};

/// What is known of a stamped record.
struct Stamped {
    by: By,
    known: Known,
    kind: Kind,
    operand: u64,
    /// The number of the operand's class.
    class: u32,
    stamp: u64,
    extra: Option<Extra>,
    /// Where it is in the file.
    place: u64,
}

#[inline(always)]
fn word(words: &[u8], at: usize) -> Option<u64> {
    let word = words.get(at * 8..)?.first_chunk().copied().map(u64::from_le_bytes)?;
    (word != 0).then_some(word)
}

impl Reader {
    /// Reads a thread on.
    pub(super) fn run(&mut self, at: usize, out: &mut Stretches) -> Result<Stop, TraceError> {
        let Some(mut stream) = self.streams.get_mut(at).and_then(Option::take) else {
            return Ok(Stop::Hungry);
        };
        let stop = self.records(&mut stream, at, None, out);
        self.streams[at] = Some(stream);
        stop
    }

    /// Has whoever else has a monitor give it up, if that can be read: who took it next may be read first, since leaving a
    /// monitor takes no stamp. What tells that was written before.
    #[cold]
    fn catch_up(&mut self, lock: LockId, me: ThreadId, out: &mut Stretches) -> Result<(), TraceError> {
        while let Some(thread) = self.rules.owner_beside(lock, me) {
            let Some(at) = self.stream_of(thread) else { return Ok(()) };
            let Some(mut stream) = self.streams.get_mut(at).and_then(Option::take) else { return Ok(()) };
            let stop = self.records(&mut stream, at, Some(lock), out);
            self.streams[at] = Some(stream);
            if self.rules.owner_beside(lock, me) != Some(thread) {
                stop?;
            } else if stop? != Stop::Hungry || self.read_on(at)? != Got::Words {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads a thread on; with a lock only until it is free, and then the batch may grow.
    pub(super) fn records(
        &mut self,
        stream: &mut Stream,
        at: usize,
        until_free: Option<LockId>,
        out: &mut Stretches,
    ) -> Result<Stop, TraceError> {
        let thread = self.threads[at];
        // Whether accesses go on where the last event was.
        let mut goes_on = false;
        loop {
            if goes_on {
                self.accesses(stream, out);
            }
            let words = stream.words();
            let Some(first) = word(words, 0) else { return Ok(Stop::Hungry) };
            let (form, operand) = (form_of(first), operand_of(first));
            if form == KNOWN || form == DEFINES {
                goes_on = false;
                match self.region(stream, at, until_free.is_some(), out)? {
                    Some(stop) => return Ok(stop),
                    None => continue,
                }
            }
            let Some((&known, kind)) = self.tables.site(site_of(first)).and_then(|k| Some((k, k.kind?)))
            else {
                if self.learn(stream, site_of(first))? {
                    continue;
                }
                // Its turn never comes.
                return Ok(Stop::Early(u64::MAX));
            };
            let by = By { thread, site: known.site };
            match form {
                PLAIN | RANGE => {
                    let (second, length) = match form {
                        PLAIN => (0, 8),
                        _ => match word(words, 1) {
                            Some(second) => (second, 16),
                            None => return Ok(Stop::Hungry),
                        },
                    };
                    if out.is_full() && until_free.is_none() {
                        return Ok(Stop::Full);
                    }
                    let var = match kind {
                        Kind::Read | Kind::Write => {
                            known.field.map(|field| self.field(operand, field, &known))
                        }
                        Kind::ArrayRead | Kind::ArrayWrite | Kind::RangeRead | Kind::RangeWrite => {
                            if operand != 0 && self.gone.has(operand, &self.pages)? {
                                stream.consume(length);
                                continue;
                            }
                            self.elements(operand, second, &known)
                        }
                        Kind::ObjectRead | Kind::ObjectWrite => self.whole(operand, second as u32, &known),
                        Kind::Exit | Kind::ExitBlock => {
                            stream.consume(length);
                            goes_on = false;
                            self.exit(by, known, kind, operand, out);
                            if until_free.is_some_and(|lock| self.rules.is_free(lock)) {
                                return Ok(Stop::Full);
                            }
                            continue;
                        }
                        _ => {
                            if kind.is_stamped() && !matches!(kind, Kind::FlowRead | Kind::FlowUse) {
                                return Err(self.pages.wrong(stream.place(), "this record needs a stamp"));
                            }
                            stream.consume(length);
                            goes_on = false;
                            if kind == Kind::Known || self.rules.runs(by, out) {
                                self.plain(by, known, kind, operand, second, out);
                            }
                            continue;
                        }
                    };
                    let Some(var) = var else {
                        let site = site_of(first);
                        let reason = format!(
                            "an access ({kind:?}, site {site}, {operand}, {second:#x}) that does not say what to"
                        );
                        return Err(self.pages.wrong(stream.place(), reason));
                    };
                    stream.consume(length);
                    if !goes_on {
                        if !self.rules.runs(by, out) {
                            continue;
                        }
                        if out.last_thread() != Some(thread) {
                            out.begin(thread, known.site, None);
                        }
                        goes_on = true;
                    }
                    let writes =
                        matches!(kind, Kind::Write | Kind::ArrayWrite | Kind::RangeWrite | Kind::ObjectWrite);
                    out.access(Access::new(var, known.site, writes));
                }
                STEPS => {
                    let (Some(range), Some(step)) = (word(words, 1), word(words, 2)) else {
                        return Ok(Stop::Hungry);
                    };
                    if out.is_full() && until_free.is_none() {
                        return Ok(Stop::Full);
                    }
                    let writes = kind == Kind::ArrayWrite;
                    let var = match record::elements(range, step) {
                        Some((from, to, step)) if operand != 0 && (writes || kind == Kind::ArrayRead) => {
                            if self.gone.has(operand, &self.pages)? {
                                stream.consume(24);
                                continue;
                            }
                            self.stepwise(operand, (from, to, step), &known)
                        }
                        _ => {
                            let reason = "array elements that do not say which or of what";
                            return Err(self.pages.wrong(stream.place(), reason));
                        }
                    };
                    stream.consume(24);
                    if !goes_on {
                        if !self.rules.runs(by, out) {
                            continue;
                        }
                        if out.last_thread() != Some(thread) {
                            out.begin(thread, known.site, None);
                        }
                        goes_on = true;
                    }
                    out.access(Access::new(var, known.site, writes));
                }
                STAMPED | EXTENDED => {
                    let Some(second) = word(words, 1) else { return Ok(Stop::Hungry) };
                    let stamp = stamp_of(second);
                    if stamp > self.next || stamp >= self.cut {
                        stream.passed = stamp;
                        return Ok(Stop::Early(stamp));
                    }
                    if out.is_full() && until_free.is_none() {
                        return Ok(Stop::Full);
                    }
                    let (extra, length) = match form {
                        STAMPED => (None, 16),
                        _ => match word(words, 2) {
                            Some(third) => (Some(third), 24),
                            None => return Ok(Stop::Hungry),
                        },
                    };
                    let place = stream.place();
                    let wrong = |reason: &str| Err(self.pages.wrong(place, reason));
                    let extra = match extra.map(Extra::of) {
                        Some(None) => return wrong("the extra word of this record makes no sense"),
                        extra => extra.flatten(),
                    };
                    if !kind.is_stamped() {
                        return wrong("this record must not have a stamp");
                    }
                    stream.consume(length);
                    stream.passed = stamp;
                    match stamp {
                        // Its thread had not come so far as to take one.
                        0 => {}
                        stamp if stamp == self.next => self.next += 1,
                        _ => self.late += 1,
                    }
                    goes_on = false;
                    let class = class_of(second);
                    self.stamped(&Stamped { by, known, kind, operand, class, stamp, extra, place }, out)?;
                }
                _ => {
                    let reason = format!("a record of form {form}, which there is not");
                    return Err(self.pages.wrong(stream.place(), reason));
                }
            }
        }
    }

    /// Tells plain accesses of variables that were met before, as many as follow one another: most of what there is.
    #[inline(always)]
    fn accesses(&mut self, stream: &mut Stream, out: &mut Stretches) {
        /// Words that are looked at ahead: the rows of that many objects are waited for at once.
        const AHEAD: usize = 8;
        let room = BATCH.saturating_sub(out.heads().len() + out.all_accesses().len());
        let (words, _) = stream.words().as_chunks::<8>();
        let ahead = words.get(AHEAD..).unwrap_or_default();
        let (mut done, mut sum) = (0, 0);
        for (first, ahead) in words.iter().zip(ahead).take(room) {
            let first = u64::from_le_bytes(*first);
            sum ^= self.objects.touch(operand_of(u64::from_le_bytes(*ahead)));
            let Some(plain) = self.tables.plain.get(site_of(first) as usize) else { break };
            if (form_of(first) != PLAIN) | (plain.short == NO_FIELD) {
                break;
            }
            let var = match operand_of(first) {
                0 => self.objects.of_class(plain.field),
                object => self.objects.in_row(object, plain.short),
            };
            let Some(var) = var else { break };
            out.access(Access::at(var, plain.place));
            done += 1;
        }
        // Nobody needs the sum, but without a use of it there would be no loads.
        std::hint::black_box(sum);
        stream.consume(done * 8);
    }

    /// Looks for the name of a site, which is in the log before any record of it is written. False where there was no
    /// room for it: nothing more can be told of the thread.
    #[cold]
    fn learn(&mut self, stream: &Stream, site: u32) -> Result<bool, TraceError> {
        self.tables.read()?;
        match self.tables.site(site).and_then(|known| known.kind) {
            Some(_) => Ok(true),
            None if self.cut < u64::MAX => Ok(false),
            None => Err(self.pages.wrong(stream.place(), format!("site number {site} has no name"))),
        }
    }

    #[inline(always)]
    fn field(&mut self, object: u64, field: FieldId, known: &Known) -> VarId {
        match self.objects.field(object, field) {
            Some(var) => var,
            None => {
                let class = self.class_of_object(object, 0, known.class);
                self.objects.define(object, Part::Field(field), field, class, &mut self.tables.symbols)
            }
        }
    }

    #[inline(always)]
    fn elements(&mut self, object: u64, range: u64, known: &Known) -> Option<VarId> {
        let (from, to) = (range as u32, (range >> 32) as u32);
        if object == 0 || from >= to {
            return None;
        }
        Some(self.stepwise(object, (from, to, 1), known))
    }

    /// Array elements from one on and before another, each as far from the next.
    #[inline(always)]
    fn stepwise(&mut self, array: u64, (from, to, step): (u32, u32, u32), known: &Known) -> VarId {
        match self.objects.elements(array, from, to, step) {
            Some(var) => var,
            None => {
                let (part, class) = (Part::Elements(from, to, step), known.class);
                self.objects.define(array, part, FieldId(0), class, &mut self.tables.symbols)
            }
        }
    }

    /// An object as one variable.
    fn whole(&mut self, object: u64, class: u32, known: &Known) -> Option<VarId> {
        if object == 0 {
            return None;
        }
        if let Some(var) = self.objects.field(object, WHOLE) {
            return Some(var);
        }
        let class = self.class_of_object(object, class, known.class);
        let symbols = &mut self.tables.symbols;
        let field = *self.whole.entry(class).or_insert_with(|| {
            let name = symbols.string(CONTENTS);
            symbols.fields.intern(Field { class: Some(class), name, is_final: false })
        });
        self.objects.object(object, class, true, symbols);
        Some(self.objects.define(object, Part::Field(WHOLE), field, class, symbols))
    }

    /// The class of an object that is new, so that the log is looked at first.
    fn class_of_object(&mut self, object: u64, class: u32, guess: ClassId) -> ClassId {
        if class != 0 {
            // Whatever is wrong with the log will be found again and told.
            let _ = self.tables.read();
        }
        if let Some(&class) = self.tables.class_objects.get(&object) {
            return class;
        }
        self.tables.class(class).unwrap_or(guess)
    }

    /// Looks something up, and once more when the log has been read on.
    fn look_up<T>(&mut self, find: impl Fn(&Tables) -> Option<T>) -> Option<T> {
        find(&self.tables).or_else(|| {
            self.tables.read().ok()?;
            find(&self.tables)
        })
    }

    /// A monitor is about to be left.
    fn exit(&mut self, by: By, known: Known, kind: Kind, monitor: u64, out: &mut Stretches) {
        if !self.rules.runs(by, out) {
            return;
        }
        if kind == Kind::ExitBlock {
            self.rules.finish(by, known.block, out);
        }
        match self.objects.monitor(monitor) {
            Some(lock) => self.rules.release(by, lock, Mode::Exclusive, out),
            None => self.rules.stray_exit(),
        }
    }

    /// A plain record that is no access.
    fn plain(&mut self, by: By, known: Known, kind: Kind, operand: u64, second: u64, out: &mut Stretches) {
        match kind {
            Kind::Begin => self.rules.begin(by, known.block, out),
            Kind::Finish => self.rules.finish(by, known.block, out),
            Kind::Freeze if operand != 0 => {
                let symbols = &mut self.tables.symbols;
                let object = self.objects.object(operand, known.class, false, symbols);
                out.event(Event { thread: by.thread, site: by.site, op: Op::Freeze { object } });
            }
            Kind::Mark => {
                let text = match operand {
                    0 => Some(known.purpose),
                    operand => self.look_up(|tables| tables.string(operand)),
                };
                if let Some(text) = text {
                    out.event(Event { thread: by.thread, site: by.site, op: Op::Mark { text } });
                }
            }
            Kind::FlowRead | Kind::FlowUse => tell_flow(by, known, kind, out),
            Kind::Known => {
                if let Some(class) = self.look_up(|tables| tables.class(second as u32))
                    && operand != 0
                {
                    self.objects.object(operand, class, true, &mut self.tables.symbols);
                }
            }
            _ => {}
        }
    }

    fn stamped(&mut self, record: &Stamped, out: &mut Stretches) -> Result<(), TraceError> {
        let Stamped { by, known, kind, operand, .. } = *record;
        match kind {
            Kind::Start => {
                self.rules.start(by, out);
                return Ok(());
            }
            Kind::Free => {
                self.dead.push((record.stamp, operand, known.site));
                return Ok(());
            }
            Kind::Woken | Kind::Awaited => {
                if let Some(lock) = self.lock(record) {
                    if self.rules.owner_beside(lock, by.thread).is_some() {
                        self.catch_up(lock, by.thread, out)?;
                    }
                    self.rules.woken(by, lock, out);
                }
                return Ok(());
            }
            _ => {}
        }
        if !self.rules.runs(by, out) {
            return Ok(());
        }
        match kind {
            Kind::FlowRead | Kind::FlowUse => tell_flow(by, known, kind, out),
            Kind::End => self.rules.end(by, out),
            Kind::Fork | Kind::Join => {
                let Some(child) = self.look_up(|tables| tables.thread(operand)) else {
                    return Err(self.pages.wrong(record.place, format!("thread {operand} has no name")));
                };
                match kind {
                    Kind::Fork => self.rules.fork(by, child, out),
                    _ => self.rules.join(by, child, out),
                }
            }
            Kind::Signal | Kind::Observe => {
                let on = self.channel(record);
                tell(by, if kind == Kind::Signal { Op::Signal { on } } else { Op::Observe { on } }, out);
            }
            Kind::Initialised | Kind::Uses => {
                let on = self.initialisation(operand);
                tell(by, if kind == Kind::Uses { Op::Observe { on } } else { Op::Signal { on } }, out);
            }
            Kind::VolatileRead | Kind::VolatileWrite | Kind::UpdateRead | Kind::UpdateWrite => {
                let Some(var) = self.volatile(record) else {
                    return Err(self.pages.wrong(record.place, "an access that does not say what to"));
                };
                let update = matches!(kind, Kind::UpdateRead | Kind::UpdateWrite);
                tell(
                    by,
                    match kind {
                        Kind::VolatileRead | Kind::UpdateRead => Op::VolatileRead { var, update },
                        _ => Op::VolatileWrite { var, update },
                    },
                    out,
                );
            }
            _ => {
                // Of null there is no lock, and whoever tried has had its exception.
                let Some(lock) = self.lock(record) else { return Ok(()) };
                if matches!(kind, Kind::Enter | Kind::EnterBlock)
                    && self.rules.owner_beside(lock, by.thread).is_some()
                {
                    self.catch_up(lock, by.thread, out)?;
                }
                match kind {
                    Kind::Enter | Kind::Acquire => self.rules.acquire(by, lock, Mode::Exclusive, false, out),
                    Kind::Exit | Kind::Release => self.rules.release(by, lock, Mode::Exclusive, out),
                    Kind::EnterBlock => {
                        self.rules.acquire(by, lock, Mode::Exclusive, false, out);
                        self.rules.begin(by, known.block, out);
                    }
                    Kind::ExitBlock => {
                        self.rules.finish(by, known.block, out);
                        self.rules.release(by, lock, Mode::Exclusive, out);
                    }
                    Kind::AcquireRead => self.rules.acquire(by, lock, Mode::Read, false, out),
                    Kind::TryAcquire => self.rules.acquire(by, lock, Mode::Exclusive, true, out),
                    Kind::TryAcquireRead => self.rules.acquire(by, lock, Mode::Read, true, out),
                    Kind::ReleaseRead => self.rules.release(by, lock, Mode::Read, out),
                    // In code that is not woven, most locks were taken in such code too.
                    Kind::Wait if self.is_nowhere(by) && !self.rules.holds(by, lock) => {}
                    Kind::Wait | Kind::Await => self.rules.wait(by, lock, out),
                    Kind::Convert => {
                        let Some(Extra::Modes { from, to }) = record.extra else {
                            let reason = "a conversion that does not say from what to what";
                            return Err(self.pages.wrong(record.place, reason));
                        };
                        if let Some(mode) = mode(from) {
                            self.rules.release(by, lock, mode, out);
                        }
                        if let Some(mode) = mode(to) {
                            self.rules.acquire(by, lock, mode, true, out);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Whether the site is not a place in the program.
    fn is_nowhere(&self, by: By) -> bool {
        self.tables.symbols.sites.get(by.site).method.is_none()
    }

    fn lock(&mut self, record: &Stamped) -> Option<LockId> {
        if record.operand == 0 {
            return None;
        }
        let which = match record.kind {
            Kind::Enter | Kind::Exit | Kind::EnterBlock | Kind::ExitBlock | Kind::Wait | Kind::Woken => {
                if let Some(lock) = self.objects.monitor(record.operand) {
                    return Some(lock);
                }
                Which::Monitor
            }
            _ => Which::Other,
        };
        let class = self.class_of_object(record.operand, record.class, record.known.class);
        Some(self.objects.lock(record.operand, which, class, &mut self.tables.symbols))
    }

    fn volatile(&mut self, record: &Stamped) -> Option<VarId> {
        let known = &record.known;
        match (record.extra, known.field) {
            (Some(Extra::Element(index)), _) => {
                let range = u64::from(index) | u64::from(index.checked_add(1)?) << 32;
                if let Some(class) = self.look_up(|tables| tables.class(record.class))
                    && record.operand != 0
                {
                    self.objects.object(record.operand, class, true, &mut self.tables.symbols);
                }
                self.elements(record.operand, range, known)
            }
            (Some(Extra::Field(number)), _) => {
                let field = self.look_up(|tables| tables.field(number))?;
                let class = self.tables.symbols.fields.get(field).class.unwrap_or(known.class);
                Some(self.field(record.operand, field, &Known { class, ..*known }))
            }
            (Some(Extra::Modes { .. }), _) => None,
            (None, Some(field)) => Some(self.field(record.operand, field, known)),
            (None, None) => self.whole(record.operand, record.class, known),
        }
    }

    fn channel(&mut self, record: &Stamped) -> ChannelId {
        let key = (record.operand, record.known.purpose.0);
        if let Some(&channel) = self.channels.get(&key) {
            return channel;
        }
        let class = self.class_of_object(record.operand, record.class, record.known.class);
        let symbols = &mut self.tables.symbols;
        let mut name = format!("{}@{}", symbols.class_name(class), record.operand);
        let purpose = symbols.str(record.known.purpose);
        if !purpose.is_empty() {
            name = format!("{name} for {purpose}");
        }
        let name = symbols.string(&name);
        let channel = symbols.channels.push(Channel { name });
        self.channels.insert(key, channel);
        channel
    }

    fn initialisation(&mut self, class: u64) -> ChannelId {
        let class = u32::try_from(class).ok().and_then(|class| self.look_up(|tables| tables.class(class)));
        let class = class.unwrap_or(self.tables.any_class);
        let symbols = &mut self.tables.symbols;
        *self.initialised.entry(class).or_insert_with(|| {
            let name = format!("{INITIALISATION}{}", symbols.class_name(class));
            let name = symbols.string(&name);
            symbols.channels.push(Channel { name })
        })
    }
}

fn tell(by: By, op: Op, out: &mut Stretches) {
    out.event(Event { thread: by.thread, site: by.site, op });
}

/// A flow that is used nowhere is none.
fn tell_flow(by: By, known: Known, kind: Kind, out: &mut Stretches) {
    if let Some(flow) = known.flow {
        tell(by, Op::Flow { flow, used: kind == Kind::FlowUse }, out);
    }
}

fn mode(hold: Hold) -> Option<Mode> {
    match hold {
        Hold::Not => None,
        Hold::Exclusive => Some(Mode::Exclusive),
        Hold::Read => Some(Mode::Read),
    }
}

pub(super) trait Full {
    fn is_full(&self) -> bool;
}

impl Full for Stretches {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.heads().len() + self.all_accesses().len() >= BATCH
    }
}
