//! STD, from outside: what fits the grammar is read and written back byte for byte, the rest is refused by place.

use std::io::{Cursor, Read};

use events::rapid::{Lost, Reader, Writer};
use events::{Op, Source, text};

fn rewrite(input: &[u8]) -> Result<String, String> {
    let mut reader = Reader::new("a.std".to_owned(), Box::new(Cursor::new(input.to_vec())), None);
    let mut writer = Writer::new(Vec::new(), false);
    let mut batch = Vec::new();
    while reader.fill(&mut batch).map_err(|e| e.to_string())? {
        writer.batch(&batch, reader.symbols()).map_err(|e| e.to_string())?;
    }
    assert_eq!(reader.progress().read, input.len() as u64);
    Ok(String::from_utf8(writer.finish().unwrap().0).unwrap())
}

#[test]
fn what_is_read_is_written_back_byte_for_byte() {
    let mut input = String::new();
    for i in 0..20_000 {
        let (t, v) = (i % 37, i * 7919 % 6007);
        input += &format!("T{t}|r(V{v})|{i}\nT{t}|w(com.acme.Account@{v}.balance)|{}\n", i * 100_003);
        input += &format!("a thread with spaces|acq(eight{:03})|0\n", v % 1000);
        input += &format!("a thread with spaces|rel(eight{:03})|2147483647\n", v % 1000);
        input += &format!("T{t}|begin(pkg.Class.method{v})|-5\nT{t}|end(pkg.Class.method{v})|-2147483648\n");
    }
    input += "T0|fork(child é)|7\nchild é|w(x)|8\nT0|join(child é)|9999999\n";
    assert_eq!(rewrite(input.as_bytes()).unwrap(), input);
}

#[test]
fn the_last_line_may_lack_its_end() {
    assert_eq!(rewrite(b"T1|r(x)|12").unwrap(), "T1|r(x)|12\n");
    assert_eq!(rewrite(b"T1|r(x)|1\nT1|r(x)|-2").unwrap(), "T1|r(x)|1\nT1|r(x)|-2\n");
}

#[test]
fn a_bare_end_leaves_the_innermost_block() {
    assert_eq!(
        rewrite(b"T|begin|1\nT|begin(f)|2\nT|begin g|3\nT|end|4\nT|end|5\nT|end|6\n").unwrap(),
        "T|begin(begin)|1\nT|begin(f)|2\nT|begin( g)|3\nT|end( g)|4\nT|end(f)|5\nT|end(begin)|6\n"
    );
}

#[test]
fn names_and_locations_become_symbols() {
    let mut reader = Reader::new(
        "a.std".to_owned(),
        Box::new(Cursor::new("T|acq(x)|42\nT|w(x)|0\nU|r(x)|42\n")),
        Some(31),
    );
    let mut batch = Vec::new();
    assert!(reader.fill(&mut batch).unwrap());
    let symbols = reader.symbols();
    let (Op::Acquire { lock, .. }, Op::Write { var }) = (batch[0].op, batch[1].op) else {
        panic!("{batch:?}")
    };
    assert_eq!((symbols.lock_name(lock), symbols.variable_name(var)), ("x".to_owned(), "x".to_owned()));
    assert_eq!(batch[2].op, Op::Read { var });
    assert_eq!(batch[0].site, batch[2].site);
    assert_eq!(symbols.sites.get(batch[0].site).line, 42);
    assert_ne!(batch[0].thread, batch[2].thread);
    assert!(!reader.fill(&mut batch).unwrap());
    assert!(batch.is_empty());
}

#[track_caller]
fn refused(line: &[u8], message: &str) {
    // Alone, and after enough good lines to be in another group and batch.
    for good in [0, 1, 300, 5000] {
        let mut input = b"T1|r(x)|1\n".repeat(good);
        input.extend_from_slice(line);
        assert_eq!(rewrite(&input), Err(format!("a.std:{}:{message}", good + 1)));
        input.extend_from_slice(b"\nT1|oops\n");
        assert_eq!(rewrite(&input), Err(format!("a.std:{}:{message}", good + 1)));
    }
}

#[test]
fn every_broken_line_is_refused_with_place_and_reason() {
    let operations = "r(…), w(…), acq(…), rel(…), fork(…), join(…), begin or end";
    refused(b"\r", "2: expected `|` after the thread, found the end of the line");
    refused(b"T1", "3: expected `|` after the thread, found the end of the line");
    refused(b"|r(x)|1", "1: expected a thread, found `|r(x)|1`");
    refused(b"T(1|r(x)|1", "2: expected `|` after the thread, found `(1|r(x)|1`");
    refused(b"T1|r(x)", "8: expected `|` after the operation, found the end of the line");
    refused(b"T1|r(x|1", "7: expected `)` after the name, found `|1`");
    refused(b"T1|r()|1", "6: expected a name, found `)|1`");
    refused(b"T1|r x|1", &format!("4: expected {operations}, found `r x|1`"));
    refused(b"T1|read(x)|1", &format!("4: expected {operations}, found `read(x)|1`"));
    refused(b"T1| r(x)|1", &format!("4: expected {operations}, found ` r(x)|1`"));
    refused(b"T1|acq(x)", "10: expected `|` after the operation, found the end of the line");
    refused(b"T1|fork()|1", "9: expected a name, found `)|1`");
    refused(b"T1|begin(|1", "10: expected a name, found `|1`");
    refused(b"T1|begin(a)b|1", "12: expected `|` after the operation, found `b|1`");
    refused(b"T1|begin", "9: expected `|`, found the end of the line");
    refused(b"T1|r(x)|", "9: expected a location (a decimal number), found the end of the line");
    refused(b"T1|r(x)|x", "9: expected a location (a decimal number), found `x`");
    refused(b"T1|r(x)|+1", "9: expected a location (a decimal number), found `+1`");
    refused(b"T1|r(x)|-", "9: expected a location (a decimal number), found `-`");
    refused(b"T1|r(x)|1 ", "10: expected the end of the line after the location, found ` `");
    refused(b"T1|r(x)|1\r", "10: expected the end of the line after the location, found `\\r`");
    refused(b"T1|r(x)|1|", "10: expected the end of the line after the location, found `|`");
    refused(b"T1|r(x)|2147483648", "9: expected a location of 32 bits, found `2147483648`");
    refused(
        b"T1|r(x)|99999999999999999999",
        "9: expected a location of 32 bits, found `99999999999999999999`",
    );
    refused(b"T1|r(\xff)|1", "6: not UTF-8");
    refused(b"\xc3|r(x)|1", "1: not UTF-8");
    refused(b"T1|acq(long enough a name \xff)|1", "27: not UTF-8");
    refused(b"T1|r(x)|1\xff", "10: not UTF-8");
    refused(b"T1|end|1", "1: an `end` without a name of thread `T1`, which is in no block");
    refused(b"# comment", "10: expected `|` after the thread, found the end of the line");
}

#[test]
fn an_empty_line_is_refused() {
    let message = "an empty line; expected THREAD|OPERATION|LOCATION";
    assert_eq!(rewrite(b"\n"), Err(format!("a.std:1:1: {message}")));
    assert_eq!(rewrite(b"T|r(x)|1\n\n"), Err(format!("a.std:2:1: {message}")));
}

#[test]
fn a_line_of_a_hundred_megabytes_is_refused_by_its_number() {
    let stream = Cursor::new(b"T1|r(x)|1\nT1|r(".to_vec()).chain(std::io::repeat(b'x').take(100 << 20));
    let mut reader = Reader::new("a.std".to_owned(), Box::new(stream), None);
    let mut batch = Vec::new();
    // Whatever is before it may come in a batch of its own.
    let error = loop {
        match reader.fill(&mut batch) {
            Ok(more) => assert!(more),
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "a.std:2:1: the line is longer than 1 MiB");
}

fn convert(trace: &str, lossy: bool) -> Result<(String, Lost), String> {
    let trace = text::parse("test", trace).unwrap_or_else(|e| panic!("{e}"));
    let mut writer = Writer::new(Vec::new(), lossy);
    writer.batch(&trace.events, &trace.symbols).map_err(|e| e.to_string())?;
    let (out, lost) = writer.finish().map_err(|e| e.to_string())?;
    Ok((String::from_utf8(out).unwrap(), lost))
}

#[test]
fn what_std_cannot_say_is_refused_by_event_and_operation() {
    for (line, what) in [
        ("T vread x", "volatile read"),
        ("T vwrite x", "volatile write"),
        ("T acquire m read", "read mode of a lock"),
        ("T release m read", "read mode of a lock"),
        ("T reenter m", "reenter"),
        ("T reexit m", "reexit"),
        ("T wait m", "wait"),
        ("T woken m", "woken"),
        ("T signal c", "signal"),
        ("T observe c", "observe"),
        ("T start", "start of a thread"),
        ("T end", "end of a thread"),
        ("T freeze C@1", "freeze"),
        ("T free C@1", "free"),
        ("T mark hello", "mark"),
        ("T acquire m tries", "acquire that only tries"),
        ("T read int[]@1[0..2]", "range of array elements"),
    ] {
        assert_eq!(convert(&format!("T read x\n{line}"), false), Err(format!("event 2: STD has no {what}")));
    }
    assert_eq!(
        convert("T read x @ A.java:1", false),
        Err("event 1: STD has no room for a method, a file or callers in its locations".to_owned())
    );
}

#[test]
fn what_is_left_out_is_counted() {
    let (out, lost) = convert(
        "T start\nT acquire m tries\nT wait m\nT woken m\nT vread x\nT vread x\nT read C@1.f @ A.java:3\nT read C@1.f @ B.java:3",
        true,
    )
    .unwrap();
    assert_eq!(out, "T|acq(m)|2\nT|rel(m)|3\nT|acq(m)|4\nT|r(C@1.f)|-7\nT|r(C@1.f)|-8\n");
    assert_eq!(
        lost.left_out.into_iter().collect::<Vec<_>>(),
        [("start of a thread", 1), ("volatile read", 2)]
    );
    assert_eq!((lost.waits, lost.tries, lost.places), (2, 1, 2));
}

#[test]
fn fields_objects_and_elements_keep_names_of_their_own() {
    let (out, _) = convert(
        "T read C@1.f\nT read C@1.(pkg.Super.f)\nT read pkg.Super.f\nT read int[]@3[5]\nT acquire C@1\nT read x",
        false,
    )
    .unwrap();
    let names = ["r(C@1.f)", "r(C@1.pkg.Super.f)", "r(pkg.Super.f)", "r(int[]@3[5])", "acq(C@1)", "r(x)"];
    let lines: Vec<String> = names.iter().zip(1..).map(|(name, line)| format!("T|{name}|{line}\n")).collect();
    assert_eq!(out, lines.concat());
}

#[test]
fn names_that_could_be_mistaken_for_each_other_are_refused() {
    let message = "could not be told apart by their names in STD";
    assert_eq!(
        convert("T read \"a.b\"\nT read a.b", false),
        Err(format!("event 2: variables with and without a class {message}"))
    );
    assert_eq!(
        convert("T acquire C@1\nT acquire \"C@1\"", true),
        Err(format!("event 2: locks with and without a class {message}"))
    );
}

#[test]
fn names_that_std_cannot_write_are_refused() {
    let sign = "holds a sign that STD cannot write: | ( ) or a line feed";
    for lossy in [false, true] {
        assert_eq!(convert("\"a|b\" read x", lossy), Err(format!("event 1: the thread `a|b` {sign}")));
        assert_eq!(convert("T read \"x)\"", lossy), Err(format!("event 1: the variable `x)` {sign}")));
        assert_eq!(convert("T acquire \"\\n\"", lossy), Err(format!("event 1: the lock `\\n` {sign}")));
        assert_eq!(convert("T begin f(x)", lossy), Err(format!("event 1: the block `f(x)` {sign}")));
        let empty = "event 1: a variable without a name, which STD cannot write";
        assert_eq!(convert("T read \"\"", lossy), Err(empty.to_owned()));
    }
}
