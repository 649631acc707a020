//! The readable text form, from outside: what is written reads back, and what does not fit is refused by place.

use std::io::{Cursor, Read};

use events::text::{Parsed, Reader, Writer, parse};
use events::{
    Block, Channel, Class, Event, Field, Flow, FlowKind, Gap, Lock, Method, Mode, Object, Op, Site, Slot,
    Source, Stack, Symbols, ThreadId, VarId, Variable,
};

const EVERYTHING: &str = r#"raddle text 1
# every operation and every spelling
!final com.acme.Point.x
!final constant
!gap "class org.foo.Bar" "it could not be rewritten" 3
!flow 0 @ A.java:1 < B.java:2 > com.acme.Account.get()I(Account.java:9)
!stack T1 @ Pool.java:3 < com.acme.Pool.run(Pool.java:8) < :9
main fork T1
T1 start @ com.acme.Account.run()V(Account.java:10)
T1 read x
T1 write com.acme.Account@7.balance @ com.acme.Account.withdraw(I)V(Account.java:42) < com.acme.Main.main(Main.java:7) < :3
T1 read com.acme.Registry.count  # a comment
T1 read int[]@3[5]
T1 write int[]@3[0..100]
T1 write int[]@3[1..100:3]
T1 write [7]
T1 read "P2.17"
T1 read "my class"%2@1."a field"
T1 read com.acme.Point3%1@7.(com.acme.Point.x)
T1 read com.acme.Point3%1@7.(bare)
T1 read com.acme.Odd%4."a.b"
T1 read "com acme"."a.b"
T1 vread flag
T1 vwrite flag
T1 vread flag update
T1 vwrite flag update
T1 acquire m
T1 reenter m
T1 reexit m
T1 wait m
T1 woken m
T1 release m
T1 acquire com.acme.Lock@9 read
T1 release com.acme.Lock@9 read
T1 acquire "not@object"
T1 signal latch
T1 observe "the \"latch\"\n\u{7f}"
T1 begin com.acme.Account.withdraw
T1 finish com.acme.Account.withdraw
T1 freeze com.acme.Point@4
T1 free com.acme.Point@4
T1 mark "test one" @ "odd (file)":-1
T1 mark "" @ com.acme.Odd."strange.name"(:0)
T1 flow 0 @ com.acme.Foo.<init>(Ljava/lang/String;)V(Foo.java:0)
"T 2" end @ :2147483647
main join T1
"#;

/// A trace in words that do not depend on ids.
fn written(trace: &Parsed) -> String {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.batch(&trace.events, &trace.symbols).unwrap();
    String::from_utf8(writer.finish(&trace.gaps, &trace.symbols).unwrap()).unwrap()
}

fn read_as_stream(text: &str) -> Result<String, events::TraceError> {
    let stream: Box<dyn Read> = Box::new(Cursor::new(text.as_bytes().to_vec()));
    let mut reader = Reader::new("test".to_owned(), stream, Some(text.len() as u64))?;
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut batch = Vec::new();
    while reader.fill(&mut batch)? {
        writer.batch(&batch, reader.symbols()).unwrap();
    }
    assert!(batch.is_empty());
    assert_eq!(reader.progress().read, text.len() as u64);
    Ok(String::from_utf8(writer.finish(reader.gaps(), reader.symbols()).unwrap()).unwrap())
}

#[test]
fn what_is_written_reads_back_as_the_same_events() {
    let trace = parse("test", EVERYTHING).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(trace.events.len(), 39);
    let text = written(&trace);
    let again = parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(text, written(&again));
    let names = |trace: &Parsed| -> Vec<String> {
        trace.events.iter().map(|event| words(event, &trace.symbols)).collect()
    };
    assert_eq!(names(&trace), names(&again));
    assert_eq!(trace.gaps, again.gaps);
    assert_eq!(trace.symbols.stacks.len(), again.symbols.stacks.len());
    assert_eq!(trace.symbols.flows.len(), again.symbols.flows.len());
}

#[test]
fn the_stream_reader_reads_what_parse_reads() {
    let whole = written(&parse("test", EVERYTHING).unwrap());
    assert_eq!(read_as_stream(EVERYTHING).unwrap(), whole);
}

/// An event by its rows, which does not use the writer.
fn words(event: &Event, s: &Symbols) -> String {
    let variable = |id: VarId| {
        let row = s.variables().get(id);
        let object = row.object.map(|o| (s.object_name(o), s.classes.get(s.objects().get(o).class).loader));
        match row.slot {
            Slot::Field(field) => {
                let row = s.fields.get(field);
                let class = row.class.map(|c| (s.class_name(c).to_owned(), s.classes.get(c).loader));
                format!("{object:?} {class:?} {:?} {}", s.str(row.name), row.is_final)
            }
            elements => format!("{object:?} {elements:?}"),
        }
    };
    let op = match event.op {
        Op::Read { var } => format!("read {}", variable(var)),
        Op::Write { var } => format!("write {}", variable(var)),
        Op::VolatileRead { var, update } => format!("vread {} {update}", variable(var)),
        Op::VolatileWrite { var, update } => format!("vwrite {} {update}", variable(var)),
        Op::Acquire { lock, mode, tries } => format!("acquire {} {mode:?} {tries}", lock_words(s, lock)),
        Op::Release { lock, mode } => format!("release {} {mode:?}", lock_words(s, lock)),
        Op::Fork { child } => format!("fork {}", s.str(s.threads.get(child).name)),
        Op::Join { child } => format!("join {}", s.str(s.threads.get(child).name)),
        Op::Signal { on } => format!("signal {:?}", s.str(s.channels.get(on).name)),
        Op::Observe { on } => format!("observe {:?}", s.str(s.channels.get(on).name)),
        Op::Begin { block } => format!("begin {:?}", s.str(s.blocks.get(block).name)),
        Op::Finish { block } => format!("finish {:?}", s.str(s.blocks.get(block).name)),
        Op::Freeze { object } => format!("freeze {}", s.object_name(object)),
        Op::Free { object } => format!("free {}", s.object_name(object)),
        Op::Mark { text } => format!("mark {:?}", s.str(text)),
        Op::Reenter { lock } => format!("reenter {}", lock_words(s, lock)),
        Op::Reexit { lock } => format!("reexit {}", lock_words(s, lock)),
        Op::Wait { lock } => format!("wait {}", lock_words(s, lock)),
        Op::Woken { lock } => format!("woken {}", lock_words(s, lock)),
        other => format!("{other:?}"),
    };
    let mut place = String::new();
    let mut site = Some(event.site);
    while let Some(id) = site {
        let row = s.sites.get(id);
        let method = row.method.map(|m| {
            let m = s.methods.get(m);
            (s.class_name(m.class).to_owned(), s.classes.get(m.class).loader, s.str(m.name).to_owned())
        });
        place += &format!(" < {method:?} {:?} {}", row.file.map(|f| s.str(f)), row.line);
        site = row.caller;
    }
    format!("{:?} {op}{place}", s.str(s.threads.get(event.thread).name))
}

fn lock_words(s: &Symbols, id: events::LockId) -> String {
    match *s.locks.get(id) {
        Lock::Of(object) => format!("object {}", s.object_name(object)),
        Lock::Named(name) => format!("name {:?}", s.str(name)),
    }
}

#[test]
fn any_name_survives_writing_and_reading() {
    let odd = [
        "", " ", "a b", "a\tb", "\"", "\\", "\\n", "\n", "#x", "!x", "//~", "@", "<", ">", "a@7", "a%1",
        "%1", "a.b", ".a", "a.", "..", "(x)", "x[3]", "[I", "x]", ":3", "a:b", "é λ", "\u{0}", "a(b)c(d)",
        "(", ")", "x)(", "update", "read", "of", "\u{2028}", "\r", "0", "-1",
    ];
    for name in odd {
        for other in odd {
            let mut s = Symbols::new();
            let thread = s.thread(name);
            let (text, second) = (s.string(name), s.string(other));
            let class = s.classes.intern(Class { name: text, loader: 3 });
            let plain = s.class(other);
            let object = s.object(Object { class, label: 7 });
            let method = s.methods.intern(Method { class, name: second });
            let caller = s.sites.push(Site { file: Some(second), line: -5, ..Site::NOWHERE });
            let site = s.sites.push(Site {
                method: Some(method),
                file: Some(text),
                line: 3,
                caller: Some(caller),
                of: Some(second),
            });
            let bare_site = s.sites.push(Site { method: Some(method), of: Some(text), ..Site::NOWHERE });
            let mut ops = Vec::new();
            for field in [Some(class), Some(plain), None] {
                let field = s.fields.intern(Field { class: field, name: second, is_final: field.is_none() });
                for object in [None, Some(object)] {
                    let var = s.variable(Variable { object, slot: Slot::Field(field) });
                    ops.push(Op::Read { var });
                }
            }
            let lock = s.locks.intern(Lock::Named(second));
            ops.push(Op::Acquire { lock, mode: Mode::Read, tries: true });
            let lock = s.locks.intern(Lock::Of(object));
            ops.push(Op::Acquire { lock, mode: Mode::Exclusive, tries: false });
            ops.push(Op::Signal { on: s.channels.intern(Channel { name: second }) });
            ops.push(Op::Begin { block: s.blocks.intern(Block { name: second }) });
            ops.push(Op::Mark { text: second });
            ops.push(Op::Fork { child: s.thread(other) });
            for (kind, used) in FlowKind::ALL.into_iter().zip([false, true, true, false]) {
                let flow = s.flows.intern(Flow { from: site, to: bare_site, kind });
                ops.push(Op::Flow { flow, used });
            }
            s.stacks.push(Stack { thread, site: caller, callers: vec![bare_site, caller] });
            let events: Vec<Event> = ops.into_iter().map(|op| Event { thread, site, op }).collect();
            let gaps = vec![Gap { what: name.to_owned(), why: other.to_owned(), count: 1 }];
            let trace = Parsed { symbols: s, events, marks: Vec::new(), gaps };
            let text = written(&trace);
            let again = parse("test", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            for (a, b) in trace.events.iter().zip(&again.events) {
                assert_eq!(words(a, &trace.symbols), words(b, &again.symbols), "{text}");
            }
            assert_eq!(trace.events.len(), again.events.len());
            assert_eq!(trace.gaps, again.gaps);
            assert_eq!(text, written(&again));
        }
    }
}

#[test]
fn marks_belong_to_their_event() {
    let trace =
        parse("test", "T1 read x //~ data-race\n\nT1 read y @ :3 //~ a, b # c\nT1 read z //~a,b\n").unwrap();
    let marks: Vec<_> = trace.marks.iter().map(|m| (m.event, m.line, m.rule.as_str())).collect();
    assert_eq!(marks, [(0, 1, "data-race"), (1, 3, "a"), (1, 3, "b"), (2, 4, "a"), (2, 4, "b")]);
}

#[test]
fn an_event_without_place_is_at_its_own_line() {
    let trace = parse("test", "\n# c\n  T1 read x\r\n").unwrap();
    assert_eq!(trace.symbols.sites.get(trace.events[0].site).line, 3);
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = parse("test", text).expect_err(text);
    assert_eq!(error.to_string(), message);
}

#[test]
fn every_bad_line_is_refused_with_place_and_reason() {
    refused("T1", "test:1:3: expected an operation, found the end of the line");
    refused(
        "T1 raed x",
        "test:1:4: expected an operation (read, write, acquire, release, fork, join, …), found `raed`",
    );
    refused("\nT1 read", "test:2:8: expected a variable, found the end of the line");
    refused(
        "T1 read x y",
        "test:1:11: expected the end of the line, `@ PLACE`, `//~ RULE` or `# comment`, found `y`",
    );
    refused(
        "T1 acquire m write",
        "test:1:14: expected the end of the line, `@ PLACE`, `//~ RULE` or `# comment`, found `write`",
    );
    refused("T1 read \"x", "test:1:9: a quote that does not end");
    refused("T1 read \"\\q\"", "test:1:10: expected one of \\\" \\\\ \\n \\r \\t \\u{HEX}, found `\\\\q`");
    refused(
        "T1 read a[3]",
        "test:1:10: `[` in a name that is not quoted: write `\"a[3]\"` if it belongs to the name",
    );
    refused("T1 read C@x.f", "test:1:11: expected a number, found nothing");
    refused("T1 read C@7", "test:1:12: expected `.field` or `[index]`, found nothing");
    refused(
        "T1 read C@99999999999999999999.f",
        "test:1:11: expected a smaller number, found `99999999999999999999`",
    );
    refused("T1 read C@7[5..5]", "test:1:12: no elements lie in `[5..5]`, or too many");
    refused("T1 read C@7[a]", "test:1:13: expected a number, found `a`");
    refused("T1 read .f", "test:1:9: expected a class, found nothing");
    refused("T1 free m", "test:1:9: expected an object, `Class@7`, found `m`");
    refused("T1 flow 0", "test:1:9: flow 0 has not been declared with `!flow`");
    refused("T1 read x @", "test:1:12: expected a place, found the end of the line");
    refused(
        "T1 read x @ Foo",
        "test:1:13: expected a place, `File.java:42` or `pkg.Class.method(File.java:42)`, found `Foo`",
    );
    refused("T1 read x @ Foo:1 <", "test:1:20: expected a caller's place, found the end of the line");
    refused("T1 read x @ m(Foo:1)", "test:1:13: expected `Class.name`, found `m`");
    refused("T1 read x //~", "test:1:14: expected a rule after `//~` and `,`");
    refused("T1 read x //~ a b", "test:1:17: expected `,` between two rules, found `b`");
    refused("!what", "test:1:1: expected !final, !gap, !stack or !flow, found `!what`");
    refused("!final x y", "test:1:10: expected the end of the line, found `y`");
    refused(
        "T1 read x\n!final x",
        "test:2:8: `!final` has to come before the field's first mention, and once",
    );
    refused("!flow 1 @ :1 > :2", "test:1:7: expected 0, the next flow, found `1`");
    refused("!flow 0 @ :1", "test:1:13: expected `>`, found the end of the line");
    refused("!gap a b c", "test:1:10: expected a number, found `c`");
    refused("raddle text 2", "test:1:13: version `2` of the text form is not known, only version 1");
    refused("T1 read x\u{1}", "test:1:10: a control character");
    refused(
        &format!("T1 {}", "x".repeat(100)),
        &format!(
            "test:1:4: expected an operation (read, write, acquire, release, fork, join, …), found `{}…`",
            "x".repeat(40)
        ),
    );
}

#[test]
fn a_file_needs_its_first_line() {
    let error = |text: &str| read_as_stream(text).unwrap_err().to_string();
    assert_eq!(error(""), "test:1:1: expected `raddle text 1`, found an empty file");
    assert_eq!(error("T1 read x\n"), "test:1:1: expected `raddle text 1`, found `T1 read x`");
    assert_eq!(
        error("raddle text 2\n"),
        "test:1:13: version `2` of the text form is not known, only version 1"
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let stream = Cursor::new(b"raddle text 1\nT1 read x\nT1 read \xff\n".to_vec());
    let mut reader = Reader::new("test".to_owned(), Box::new(stream), None).unwrap();
    let error = reader.fill(&mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "test:3:9: not UTF-8");
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused_by_its_number() {
    let head = Cursor::new(b"raddle text 1\nT1 read x\nT1 read ".to_vec());
    let stream = head.chain(std::io::repeat(b'x').take(100 << 20));
    let mut reader = Reader::new("test".to_owned(), Box::new(stream), None).unwrap();
    let error = reader.fill(&mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "test:3:1: the line is longer than 1 MiB");
}

#[test]
fn a_freed_index_is_used_again_in_a_later_batch_only() {
    let mut text = String::from("raddle text 1\n");
    for label in 0..20_000 {
        text += &format!("T1 write C@{label}.x\nT1 free C@{label}\n");
    }
    let mut reader = Reader::new("test".to_owned(), Box::new(Cursor::new(text.into_bytes())), None).unwrap();
    let (mut batch, mut label) = (Vec::new(), 0);
    while reader.fill(&mut batch).unwrap() {
        for event in &batch {
            let symbols = reader.symbols();
            match event.op {
                Op::Write { var } => assert_eq!(symbols.variable_name(var), format!("C@{label}.x")),
                Op::Free { object } => {
                    assert_eq!(symbols.object_name(object), format!("C@{label}"));
                    label += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(label, 20_000);
    assert!(reader.symbols().variables().len() < 10_000, "indices are used again");
}

#[test]
fn an_object_named_after_its_free_is_a_new_one() {
    let text = "raddle text 1\nT1 write C@1.x\nT1 free C@1\nT1 write C@1.x\nT1 free C@1\nT1 free C@1\nT1 read D@2.x\n";
    let mut reader = Reader::new("test".to_owned(), Box::new(Cursor::new(text)), None).unwrap();
    let (mut batch, mut sizes) = (Vec::new(), Vec::new());
    while reader.fill(&mut batch).unwrap() {
        sizes.push(batch.len());
    }
    assert_eq!(sizes, [2, 2, 2]);
}

#[test]
fn the_lock_of_a_freed_object_is_never_the_lock_of_another() {
    let text = "raddle text 1\nT1 acquire C@1\nT1 release C@1\nT1 free C@1\n".to_owned()
        + &"T1 read x\n".repeat(5000)
        + "T1 acquire C@2\n";
    let mut reader = Reader::new("test".to_owned(), Box::new(Cursor::new(text)), None).unwrap();
    let (mut batch, mut locks) = (Vec::new(), Vec::new());
    while reader.fill(&mut batch).unwrap() {
        locks.extend(batch.iter().filter_map(|e| match e.op {
            Op::Acquire { lock, .. } => Some(lock),
            _ => None,
        }));
    }
    assert_ne!(locks[0], locks[1]);
}

#[test]
fn threads_of_one_name_are_one_thread() {
    let trace = parse("test", "a fork b\nb start\n\"a\" join b\n").unwrap();
    assert_eq!(trace.events[0].thread, trace.events[2].thread);
    assert_eq!(trace.events[0].op, Op::Fork { child: ThreadId(1) });
}
