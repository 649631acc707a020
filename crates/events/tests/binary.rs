//! The binary form: what goes in comes out, and no damage does harm.

use std::io::Read;

use events::binary::{Reader, Writer};
use events::{
    Block, Channel, Event, Field, Flow, FlowId, FlowKind, Gap, Lock, Mode, Object, Op, Site, SiteId, Slot,
    Source, Stack, Symbols, ThreadId, TraceError, VarId, Variable,
};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(n)) >> 32) as u32
    }
}

const OBJECTS: u32 = 50;

fn symbols() -> Symbols {
    let mut symbols = Symbols::new();
    for t in 0..5 {
        symbols.thread(&format!("T{t}"));
    }
    let class = symbols.class("com.acme.Point");
    let file = symbols.string("Point.java");
    let method = symbols.string("move(II)V");
    let method = symbols.methods.intern(events::Method { class, name: method });
    for line in -2..60 {
        let caller = (line > 0).then_some(SiteId(0));
        symbols.sites.intern(Site {
            method: Some(method),
            file: Some(file),
            line,
            caller,
            of: caller.map(|_| file),
        });
    }
    let name = symbols.string("x");
    let x = symbols.fields.intern(Field { class: Some(class), name, is_final: true });
    for label in 0..OBJECTS {
        let object = symbols.object(Object { class, label: u64::from(label) << 33 });
        symbols.variable(Variable { object: Some(object), slot: Slot::Field(x) });
        for slot in [Slot::elements(label, u32::MAX - 100, 1), Slot::elements(label, 500, 2 + label)] {
            symbols.variable(Variable { object: Some(object), slot: slot.expect("elements of an array") });
        }
        symbols.locks.intern(Lock::Of(object));
    }
    let name = symbols.string("näme with ünicode");
    symbols.locks.intern(Lock::Named(name));
    symbols.channels.intern(Channel { name });
    symbols.blocks.intern(Block { name });
    symbols.flows.intern(Flow { from: SiteId(1), to: SiteId(2), kind: FlowKind::Beside });
    symbols.flows.intern(Flow { from: SiteId(2), to: SiteId(1), kind: FlowKind::Any });
    symbols.stacks.intern(Stack {
        thread: ThreadId(1),
        site: SiteId(2),
        callers: vec![SiteId(3), SiteId(4)],
    });
    symbols
}

fn events(random: &mut Random, n: usize, symbols: &Symbols) -> Vec<Event> {
    let mut thread = ThreadId(0);
    let mut made = Vec::new();
    while made.len() < n {
        if random.below(8) == 0 {
            thread = ThreadId(random.below(5));
        }
        let var = VarId(random.below(symbols.variables().len() as u32));
        let lock = random.below(OBJECTS + 1).into();
        let mode = if random.below(3) == 0 { Mode::Read } else { Mode::Exclusive };
        let op = match random.below(30) {
            0 => Op::VolatileRead { var, update: random.below(2) == 0 },
            1 => Op::VolatileWrite { var, update: random.below(2) == 0 },
            2 => Op::Acquire { lock, mode, tries: random.below(3) == 0 },
            3 => Op::Release { lock, mode },
            4 => Op::Reenter { lock },
            5 => Op::Reexit { lock },
            6 => Op::Wait { lock },
            7 => Op::Woken { lock },
            8 => Op::Signal { on: 0.into() },
            9 => Op::Observe { on: 0.into() },
            10 => Op::Fork { child: ThreadId(random.below(5)) },
            11 => Op::Join { child: ThreadId(random.below(5)) },
            12 => Op::Start,
            13 => Op::End,
            14 => Op::Begin { block: 0.into() },
            15 => Op::Finish { block: 0.into() },
            16 => Op::Flow { flow: FlowId(random.below(2)), used: random.below(2) == 0 },
            17 => Op::Freeze { object: random.below(OBJECTS).into() },
            18 => Op::Mark { text: random.below(3).into() },
            19..25 => Op::Write { var },
            _ => Op::Read { var },
        };
        let site = random.below(symbols.sites.len() as u32).into();
        made.push(Event { thread, site, op });
    }
    made
}

fn write(batches: &[Vec<Event>], symbols: &Symbols) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for batch in batches {
        writer.batch(batch, symbols).unwrap();
    }
    writer.gap(Gap { what: "class a.B".into(), why: "too large".into(), count: 3 });
    writer.finish(symbols).unwrap()
}

/// Hands out a few bytes at a time, as a pipe does.
struct Drip(Vec<u8>, usize);

impl Read for Drip {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(self.0.len() - self.1).min(777);
        out[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

fn read_all(bytes: &[u8]) -> Result<(Reader, Vec<Event>), TraceError> {
    let total = Some(bytes.len() as u64);
    let mut reader = Reader::new("t.trace".into(), Box::new(Drip(bytes.to_vec(), 0)), total)?;
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.fill(&mut batch)? {
        all.extend_from_slice(&batch);
    }
    Ok((reader, all))
}

fn assert_same_tables(a: &Symbols, b: &Symbols) {
    assert_eq!(a.strings(), b.strings());
    assert_eq!(a.threads.rows(), b.threads.rows());
    assert_eq!(a.classes.rows(), b.classes.rows());
    assert_eq!(a.methods.rows(), b.methods.rows());
    assert_eq!(a.fields.rows(), b.fields.rows());
    assert_eq!(a.sites.rows(), b.sites.rows());
    assert_eq!(a.objects().rows(), b.objects().rows());
    assert_eq!(a.variables().rows(), b.variables().rows());
    assert_eq!(a.locks.rows(), b.locks.rows());
    assert_eq!(a.channels.rows(), b.channels.rows());
    assert_eq!(a.blocks.rows(), b.blocks.rows());
    assert_eq!(a.flows.rows(), b.flows.rows());
    assert_eq!(a.stacks.rows(), b.stacks.rows());
}

#[test]
fn every_operation_and_table_comes_back() {
    let symbols = symbols();
    let mut random = Random(7);
    let batches: Vec<_> = (0..20).map(|i| events(&mut random, i * 1000, &symbols)).collect();
    let bytes = write(&batches, &symbols);
    let (reader, all) = read_all(&bytes).unwrap();
    assert!(all == batches.concat());
    assert_same_tables(reader.symbols(), &symbols);
    assert_eq!(reader.gaps().len(), 1);
    assert_eq!(reader.gaps()[0].what, "class a.B");
    assert!(reader.damage().is_none());
}

#[test]
fn an_index_used_again_names_the_object_of_its_time() {
    let mut symbols = Symbols::new();
    let thread = symbols.thread("main");
    let class = symbols.class("Node");
    let name = symbols.string("next");
    let field = symbols.fields.intern(Field { class: Some(class), name, is_final: false });
    let site = symbols.sites.intern(Site { line: 1, ..Site::NOWHERE });
    let mut writer = Writer::new(Vec::new()).unwrap();
    for label in 0..10_000 {
        symbols.recycle();
        let object = symbols.object(Object { class, label });
        let var = symbols.variable(Variable { object: Some(object), slot: Slot::Field(field) });
        let batch = [Op::Write { var }, Op::Free { object }].map(|op| Event { thread, site, op });
        symbols.free(object);
        writer.batch(&batch, &symbols).unwrap();
    }
    assert!(symbols.objects().len() < 4, "memory follows the live objects");
    let bytes = writer.finish(&symbols).unwrap();
    let mut reader = Reader::new("t".into(), Box::new(Drip(bytes, 0)), None).unwrap();
    let mut batch = Vec::new();
    let mut label = 0;
    while reader.fill(&mut batch).unwrap() {
        for event in &batch {
            match event.op {
                Op::Write { var } => {
                    assert_eq!(reader.symbols().variable_name(var), format!("Node@{label}.next"));
                }
                Op::Free { object } => {
                    assert_eq!(reader.symbols().variables_of(object).len(), 1);
                    label += 1;
                }
                _ => unreachable!(),
            }
        }
    }
    assert_eq!(label, 10_000);
    assert!(reader.symbols().objects().len() < 4);
}

#[test]
fn a_million_names_are_no_frame_too_long() {
    let mut symbols = Symbols::new();
    let thread = symbols.thread("main");
    let site = symbols.sites.intern(Site { line: 1, ..Site::NOWHERE });
    let long = "x".repeat(80);
    for v in 0..1_000_000u32 {
        let name = symbols.push_string(format!("{long}{v}").into());
        let field = symbols.fields.push(Field { class: None, name, is_final: false });
        symbols.define_variable(VarId(v), Variable { object: None, slot: Slot::Field(field) });
    }
    let batch = vec![Event { thread, site, op: Op::Write { var: VarId(999_999) } }];
    let bytes = write(std::slice::from_ref(&batch), &symbols);
    let mut reader = Reader::new("t".into(), Box::new(std::io::Cursor::new(bytes)), None).unwrap();
    let mut read = Vec::new();
    assert!(reader.fill(&mut read).unwrap());
    assert_eq!(read, batch);
    assert!(reader.symbols().variable_name(VarId(999_999)).ends_with("x999999"));
    assert!(!reader.fill(&mut read).unwrap() && reader.damage().is_none());
}

#[test]
fn a_cut_off_trace_is_readable_up_to_the_last_whole_frame() {
    let symbols = symbols();
    let batches: Vec<_> = (0..4).map(|_| events(&mut Random(3), 40_000, &symbols)).collect();
    let bytes = write(&batches, &symbols);
    let all = batches.concat();
    let (reader, some) = read_all(&bytes[..bytes.len() * 5 / 8]).unwrap();
    assert_eq!(some.len(), 80_000, "two frames of four are whole");
    assert!(some == all[..80_000]);
    let damage = reader.damage().expect("it is said").to_string();
    assert!(damage.contains("t.trace: byte ") && damage.contains("at least 40000 events"), "{damage}");
    assert_eq!(reader.gaps().last().unwrap().count, 40_000);
    for n in 12..400 {
        let (reader, some) = read_all(&bytes[..n]).unwrap();
        assert!(some.is_empty() && reader.damage().is_some(), "cut at {n}");
    }
    let (reader, some) = read_all(&bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(some.len(), all.len());
    assert!(reader.damage().is_some(), "even the end mark is missed");
}

#[test]
fn a_damaged_frame_ends_the_trace_and_later_headers_tell_how_much_is_lost() {
    let symbols = symbols();
    let batches: Vec<_> = (0..4).map(|_| events(&mut Random(5), 40_000, &symbols)).collect();
    let mut bytes = write(&batches, &symbols);
    let middle = bytes.len() * 3 / 8;
    bytes[middle] ^= 0x10;
    let (reader, some) = read_all(&bytes).unwrap();
    assert_eq!(some.len(), 40_000);
    assert_eq!(reader.gaps().last().unwrap().count, 120_000);
}

#[test]
fn another_version_or_no_trace_is_an_error_that_says_so() {
    let mut bytes = write(&[], &Symbols::new());
    bytes[8] = 9;
    let error = read_all(&bytes).err().expect("an error").to_string();
    assert!(error.contains("version 9"), "{error}");
    let error = read_all(b"PK\x03\x04 some other file").err().expect("an error").to_string();
    assert!(error.contains("not a binary trace"), "{error}");
    assert!(read_all(b"").is_err());
}

#[test]
fn no_flipped_bit_does_harm_or_goes_unseen() {
    let symbols = symbols();
    let batches = [events(&mut Random(11), 300, &symbols)];
    let bytes = write(&batches, &symbols);
    let mut random = Random(13);
    for _ in 0..20_000 {
        let mut bad = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bad.len() as u32) as usize;
            bad[at] ^= 1 << random.below(8);
        }
        if let Ok((reader, some)) = read_all(&bad) {
            let same = bad == bytes || bad[10..12] != bytes[10..12];
            assert!(reader.damage().is_some() || (same && some == batches[0]));
        }
    }
}

/// Check sums keep damage away from the decoder, so this goes behind them: broken payloads with right sums.
#[test]
fn no_payload_with_a_right_check_sum_does_harm() {
    let symbols = symbols();
    let bytes = write(&[events(&mut Random(17), 12_000, &symbols)], &symbols);
    let stored = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
    let mut random = Random(19);
    let mut read = 0;
    for _ in 0..5_000 {
        let mut bad = bytes.clone();
        for _ in 0..=random.below(4) {
            let at = 44 + random.below(stored as u32) as usize;
            bad[at] = random.below(256) as u8;
        }
        let crc = crc32fast::hash(&bad[44..44 + stored]);
        bad[36..40].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32fast::hash(&bad[12..40]);
        bad[40..44].copy_from_slice(&crc.to_le_bytes());
        let (reader, some) = read_all(&bad).unwrap();
        read += usize::from(!some.is_empty());
        for event in some {
            assert!(event.thread.index() < reader.symbols().threads.len());
            assert!(event.site.index() < reader.symbols().sites.len());
            if let Some((var, _)) = event.op.access() {
                assert!(var.index() < reader.symbols().variables().len());
            }
        }
    }
    assert!(read > 500, "the decoder itself was reached: {read}");
}
