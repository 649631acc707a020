//! Loops whose array accesses are told as ranges do what they did and access what they did: a program of many loops is
//! run unwoven, woven without ranges and woven with them. `golden/Loops.told` says which accesses are told how.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::{Assembler, Class, ClassRef, Kind as Moves, Result, Snippet, Value, flags, op};
use instrument::{World, weave};
use support::Table;

struct Here {
    ranges: bool,
}

impl World for Here {
    fn is_woven(&self, _: &[u8]) -> bool {
        false
    }

    fn ranges_loops(&self) -> bool {
        self.ranges
    }
}

fn java(classes: &Path, flags: &[&str]) -> String {
    let often = if flags.contains(&"-Xbatch") { "often" } else { "seldom" };
    let boot = format!("-Xbootclasspath/a:{}", support::probe().display());
    let mut command = Command::new("java");
    command.args(["-Xverify:all", "-Xshare:auto", "-XX:+UseSerialGC", &boot]).args(flags);
    support::java::run(command.arg("-cp").arg(classes).args(["Loops", often])).0
}

/// An access: where, and which element of which array; arrays are numbered as the program makes them.
type Element = (String, String, i32);

/// What was told: each element and how often, and the places that told ranges and those that did not.
#[derive(Default)]
struct Told {
    elements: BTreeMap<Element, usize>,
    ranges: BTreeSet<String>,
    singles: BTreeSet<String>,
    /// Monitors, as they are entered and left.
    monitors: Vec<String>,
}

/// All arrays of the program have so many elements.
const LENGTH: i32 = 20;

fn told(log: &str, table: &Table) -> Told {
    let mut told = Told::default();
    for line in log.lines() {
        let (_, rest) = line.split_once('#').expect("a site");
        let (number, what) = rest.split_once(' ').expect("something told");
        let site = &table.sites[number.parse::<usize>().expect("a number") - 1];
        if site.contains(" Enter") || site.contains(" Exit") {
            told.monitors.push(format!("{site} {what}"));
        }
        if !site.contains(" Array") {
            continue;
        }
        let (array, index) = what.rsplit_once('[').expect("an element");
        let index = index.trim_end_matches(']');
        let (from, until, step) = match index.split_once("..") {
            Some((from, until)) => {
                told.ranges.insert(site.clone());
                let (until, step) = until.split_once(" by ").unwrap_or((until, "1"));
                let int = |text: &str| text.parse::<i32>().expect("an int");
                (int(from), int(until), int(step))
            }
            None => {
                told.singles.insert(site.clone());
                let index: i32 = index.parse().expect("an index");
                // An access that fails is told beforehand if it is told by itself, but is in no range.
                if array == "null" || !(0..LENGTH).contains(&index) {
                    continue;
                }
                (index, index + 1, 1)
            }
        };
        let mut index = from;
        while index != until {
            assert!((0..LENGTH).contains(&index), "{line}");
            *told.elements.entry((site.clone(), array.to_owned(), index)).or_default() += 1;
            // The one that would come next need not be an int.
            index = index.wrapping_add(step);
        }
    }
    told
}

/// Code of the class that no compiler has written: local 0 is an array, 1 goes up to 2.
struct Parts {
    element: Snippet,
    next: Snippet,
    both: Snippet,
    one: Snippet,
    end: Snippet,
}

type Maker = fn(&mut Assembler, &Parts, &[Value]) -> Result<()>;

/// `ByHand`: loops as compilers of other languages or obfuscators write them.
fn by_hand() -> Result<Vec<u8>> {
    let mut class = Class::new(52, flags::PUBLIC | flags::SUPER, b"ByHand", b"java/lang/Object")?;
    let array = Value::Object(ClassRef::constant(class.pool.add_class(b"[I")?));
    let frame = [array, Value::Int, Value::Int];
    let (mut element, mut next, mut both) = (Snippet::new(), Snippet::new(), Snippet::new());
    element.load(Moves::Reference, 0).load(Moves::Int, 1).load(Moves::Int, 1).plain(op::IASTORE)?;
    next.increment(1, 1);
    both.load(Moves::Int, 1).load(Moves::Int, 2);
    let mut one = Snippet::new();
    one.load(Moves::Int, 1);
    let mut end = one.clone();
    end.plain(op::IRETURN)?;
    let parts = Parts { element, next, both, one, end };
    let makers: [(&[u8], Maker); 6] = [
        (b"conditionLast", |code, parts, frame| {
            let (body, condition) = (code.label(), code.label());
            code.branch(op::GOTO, condition)?.bind_frame(body, frame, &[])?;
            code.add(&parts.element).add(&parts.next).bind_frame(condition, frame, &[])?;
            code.add(&parts.both).branch(op::IF_ICMPLT, body)?.add(&parts.end);
            Ok(())
        }),
        (b"headFirst", |code, parts, frame| {
            let body = code.label();
            code.bind_frame(body, frame, &[])?.add(&parts.element).add(&parts.next);
            code.add(&parts.both).branch(op::IF_ICMPLT, body)?.add(&parts.end);
            Ok(())
        }),
        (b"enteredByCondition", |code, parts, frame| {
            let (head, out) = (code.label(), code.label());
            code.add(&parts.both).branch(op::IF_ICMPLT, head)?.add(&parts.end);
            code.bind_frame(head, frame, &[])?.add(&parts.both).branch(op::IF_ICMPGE, out)?;
            code.add(&parts.element).add(&parts.next).branch(op::GOTO, head)?;
            code.bind_frame(out, frame, &[])?.add(&parts.end);
            Ok(())
        }),
        (b"enteredTwice", |code, parts, frame| {
            let (head, out) = (code.label(), code.label());
            code.add(&parts.both).branch(op::IF_ICMPNE, head)?.add(&parts.next).add(&parts.next);
            let mut more = Snippet::new();
            more.increment(2, 5);
            code.add(&more).bind_frame(head, frame, &[])?.add(&parts.both).branch(op::IF_ICMPGE, out)?;
            code.add(&parts.element).add(&parts.next).branch(op::GOTO, head)?;
            code.bind_frame(out, frame, &[])?.add(&parts.end);
            Ok(())
        }),
        (b"leftBySwitch", |code, parts, frame| {
            let (head, out, go_on) = (code.label(), code.label(), code.label());
            code.bind_frame(head, frame, &[])?.add(&parts.element).add(&parts.one);
            code.lookup_switch(&[(7, out), (15, out)], go_on)?;
            code.bind_frame(out, frame, &[])?.add(&parts.end);
            code.bind_frame(go_on, frame, &[])?.add(&parts.next).branch(op::GOTO, head)?;
            Ok(())
        }),
        // Something lies on the stack all the time.
        (b"otherStack", |code, parts, frame| {
            let (head, out) = (code.label(), code.label());
            let mut add = Snippet::new();
            add.plain(op::IADD)?.plain(op::IRETURN)?;
            code.add(&parts.one).bind_frame(head, frame, &[Value::Int])?;
            code.add(&parts.both).branch(op::IF_ICMPGE, out)?;
            code.add(&parts.element).add(&parts.next).branch(op::GOTO, head)?;
            code.bind_frame(out, frame, &[Value::Int])?.add(&parts.one).add(&add);
            Ok(())
        }),
    ];
    for (name, make) in makers {
        let mut code = Assembler::new();
        make(&mut code, &parts, &frame)?;
        code.finish(&mut class, flags::PUBLIC | flags::STATIC, name, b"([III)I")?;
    }
    class.write()
}

/// The program, compiled into a folder of its own, with the class made by hand.
fn compile(label: &str, release: &str) -> PathBuf {
    let folder = support::compile("Loops.java", label, release);
    std::fs::write(folder.join("ByHand.class"), by_hand().expect("it fits")).expect("room on the disk");
    folder
}

fn watch(ranges: bool, release: &str, expected: &str) -> Told {
    let folder = compile(&format!("Loops-{ranges}"), release);
    let mut table = Table::default();
    for path in support::class_files(&folder) {
        let bytes = std::fs::read(&path).expect("a class file");
        table.weaves(&bytes);
        let woven = weave(&bytes, &Here { ranges }, &support::models(), &mut table, &support::WHOLE);
        if let Some(woven) = woven.expect("it can be woven") {
            std::fs::write(&path, woven).expect("room on the disk");
        }
    }
    assert_eq!(table.gaps, []);
    let log = folder.join("log");
    let known = table.write_known(&folder);
    let found = java(&folder, &[&known, &format!("-Draddle.log={}", log.display())]);
    assert_eq!(expected, found, "it does not print the same");
    for level in ["1", "4"] {
        // Compilers give methods up whose handlers they do not like. (One does so for all that call something while a
        // monitor is given up, with or without loops.)
        let level = format!("-XX:TieredStopAtLevel={level}");
        let found = java(&folder, &[&known, &level, "-XX:+PrintCompilation", "-Xbatch"]);
        let mut given_up = found.lines().filter(|line| line.contains(" Loops::") && line.contains("SKIPPED"));
        let given_up = given_up.find(|line| !line.contains("handler covers itself"));
        assert_eq!(given_up, None);
        assert!(found.contains(" Loops::stencil"), "it was not compiled: {found}");
    }
    let text = std::fs::read_to_string(&log).expect("what the probe was told");
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    told(&text, &table)
}

#[test]
fn ranges_tell_the_elements_that_were_told_one_by_one() {
    for release in ["8", "17"] {
        let folder = compile("Loops-plain", release);
        let expected = java(&folder, &[]);
        std::fs::remove_dir_all(&folder).expect("the folder just made");
        let one_by_one = watch(false, release, &expected);
        let ranged = watch(true, release, &expected);
        assert!(one_by_one.ranges.is_empty());
        assert!(!ranged.monitors.is_empty() && !ranged.monitors.iter().any(|line| line.contains("NOT HELD")));
        assert!(one_by_one.monitors == ranged.monitors, "monitors are not told as before");
        let mut wrong = String::new();
        for element in one_by_one.elements.keys().chain(ranged.elements.keys()) {
            let (old, new) = (one_by_one.elements.get(element), ranged.elements.get(element));
            if old != new {
                wrong += &format!("{element:?}: {old:?} times, in ranges {new:?}\n");
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
        let mut how = String::new();
        for site in one_by_one.singles.union(&ranged.ranges) {
            let (range, single) = (ranged.ranges.contains(site), ranged.singles.contains(site));
            how += match (range, single) {
                (true, false) => "ranges     ",
                (false, true) => "one by one ",
                (true, true) => "both       ",
                (false, false) => "not told   ",
            };
            how += &format!("{site}\n");
        }
        support::golden("Loops.told", &how);
    }
}

#[test]
fn changed_loops_are_woven_or_refused_and_never_panic() {
    let folder = compile("Loops-changed", "17");
    let models = support::models();
    let (mut woven, mut refused) = (0, 0);
    for name in ["Loops", "ByHand"] {
        let bytes = std::fs::read(folder.join(format!("{name}.class"))).expect("a class file");
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..2000 {
            let mut changed = bytes.clone();
            for _ in 0..1 + next(4) {
                let at = next(changed.len());
                changed[at] = [next(256) as u8, 0, 0xff, changed[at] ^ 1][next(4)];
            }
            let mut table = Table::default();
            match weave(&changed, &Here { ranges: true }, &models, &mut table, &support::WHOLE) {
                Ok(_) => woven += 1,
                Err(_) => refused += 1,
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder just made");
    assert!(woven > 1000 && refused > 500, "{woven} woven, {refused} refused");
}
