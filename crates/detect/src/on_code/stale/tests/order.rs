//! The order of classes and methods changes nothing; what is cut off is a gap; what only lets somebody see an old value is
//! told if it is asked for.

use findings::Confidence;

use super::super::SPEC;
use super::{counter, one, twice};
use crate::on_code::testing::report;
use crate::{Options, StaleUses};

const MORE: &str = "methods with more values than are looked at for stale ones: stale does not follow all of their \
    values; the first is ";

/// Rule, subject and confidence of all findings, and all gaps.
fn told(text: &str) -> Vec<String> {
    let report = report(&SPEC, &Options::default(), text);
    let found = report.findings().map(|found| format!("{} {:?}", found.subject, found.confidence));
    let gaps = report.gaps().map(|gap| format!("{}: {}", gap.what, gap.why));
    let mut all: Vec<String> = found.chain(gaps).collect();
    all.sort();
    all
}

/// All orders of some pieces.
fn orders(pieces: &[&str]) -> Vec<String> {
    if pieces.len() <= 1 {
        return vec![pieces.concat()];
    }
    let mut all = Vec::new();
    for (at, first) in pieces.iter().enumerate() {
        let rest: Vec<&str> = pieces.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, p)| *p).collect();
        all.extend(orders(&rest).into_iter().map(|rest| format!("{first}\n{rest}")));
    }
    all
}

#[test]
fn the_order_of_methods_changes_nothing() {
    // The value comes back through two methods that call each other; one of the ways reads it, the other writes.
    let methods = [
        "method public int even(int n) {
            if n == 0 then zero else more
            zero: value = call virtual int Ring.read()(this) return value
            more: one = 1 less = sub n, one r = call virtual int Ring.odd(int)(this, less) return r
        }",
        "method public int odd(int n) { one = 1 less = sub n, one r = call virtual int Ring.even(int)(this, less)
            return r }",
        "method public int read() { enter this v = get int Ring.x of this exit this return v }",
        "method public void write(int n, int value) {
            if n == 0 then now else later
            now: enter this put int Ring.x of this = value exit this return
            later: one = 1 less = sub n, one call virtual void Ring.again(int, int)(this, less, value) return
        }",
        "method public void again(int n, int value) {
            call virtual void Ring.write(int, int)(this, n, value) return }",
        "method public void work(int n) {
            value = call virtual int Ring.odd(int)(this, n) one = 1 more = add value, one
            call virtual void Ring.again(int, int)(this, n, more) return }",
    ];
    let texts =
        orders(&methods).into_iter().map(|all| format!("public class Ring {{ field private int x {all} }}"));
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts.len(), 720);
    let first = told(&texts[0]);
    assert_eq!(first, ["Ring.x Medium"]);
    // Each of the six comes in each place.
    for text in texts.iter().step_by(7) {
        assert_eq!(told(text), first, "{text}");
    }
}

#[test]
fn the_order_of_classes_changes_nothing() {
    let classes = [
        "public class Store { field private int x
            method public int get() { enter this v = get int Store.x of this exit this return v }
            method public void set(int v) { enter this put int Store.x of this = v exit this return } }",
        "public class Front { field private final Store store
            method public void <init>(Store s) { put Store Front.store of this = s return }
            method public int get() { s = get Store Front.store of this v = call virtual int Store.get()(s) return v }
            method public void set(int v) { s = get Store Front.store of this
                call virtual void Store.set(int)(s, v) return } }",
        "public class Door { field private final Front front
            method public void <init>(Front f) { put Front Door.front of this = f return }
            method public int get() { f = get Front Door.front of this v = call virtual int Front.get()(f) return v }
            method public void set(int v) { f = get Front Door.front of this
                call virtual void Front.set(int)(f, v) return } }",
        "public class User { field private final Door door
            method public void <init>(Door d) { put Door User.door of this = d return }
            method public void work() { d = get Door User.door of this
                v = call virtual int Door.get()(d) one = 1 more = add v, one
                call virtual void Door.set(int)(d, more) return } }",
    ];
    let texts = orders(&classes);
    let first = told(&texts[0]);
    assert_eq!(first, ["Store.x Medium"]);
    for text in &texts {
        assert_eq!(told(text), first, "{text}");
    }
}

#[test]
fn a_getter_behind_many_calls_is_one_still() {
    let mut chain = String::new();
    for n in 1..30 {
        let inner = if n == 1 { "getX".to_owned() } else { format!("get{}", n - 1) };
        chain += &format!(
            "method public int get{n}() {{ v = call virtual int Counter.{inner}()(this) return v }}\n"
        );
    }
    let text = counter(&format!(
        "{chain} method public void increment() {{
            old = call virtual int Counter.get29()(this)
            one = 1
            new = add old, one
            call virtual void Counter.setX(int)(this, new) //~ stale-value
            return
        }}"
    ));
    one(&Options::default(), &text);
}

#[test]
fn a_circle_that_is_too_long_to_be_followed_to_its_end_is_a_gap() {
    let circle = |length: usize| {
        let mut text = String::from("public class Long {\n");
        for n in 0..length {
            let next = (n + 1) % length;
            text += &format!(
                "field private int f{n} method public void set{n}(int v) {{ put int Long.f{n} of this = v return }}
                method public int get{n}(int n) {{
                    if n == 0 then end else more
                    end: enter this v = get int Long.f{n} of this exit this return v
                    more: w = call virtual int Long.get{next}(int)(this, n) return w }}\n"
            );
        }
        told(&(text + "}")).into_iter().filter(|told| told.contains("more values")).count()
    };
    assert_eq!(circle(20), 0);
    assert!(circle(70) > 0);
}

#[test]
fn more_values_than_are_kept_are_a_gap() {
    // Many fields that one method returns.
    let many = |count: usize| {
        let mut text = String::from("public class Many {\n");
        let mut body = String::from("if n == 0 then r0 else n0\n");
        for n in 0..count {
            text += &format!("field private int f{n}\n");
            body += &format!("r{n}: enter this v{n} = get int Many.f{n} of this exit this return v{n}\n");
            let next = n + 1;
            body += &match next == count {
                true => format!("n{n}: zero = 0 return zero\n"),
                false => format!("n{n}: if n == 0 then r{next} else n{next}\n"),
            };
        }
        let puts: String = (0..count).map(|n| format!("put int Many.f{n} of this = v\n")).collect();
        let set = format!("method public void set(int v) {{ {puts} return }}");
        told(&format!("{text} {set} method public int any(int n) {{ {body} }} }}"))
    };
    assert_eq!(many(60), Vec::<String>::new());
    assert_eq!(many(70), [format!("{MORE}Many.any")]);
    // Many that one register may hold.
    let mixed = |count: usize| {
        let mut text = String::from("public class Mixed {\n");
        let mut body = String::from("sum0 = 0\n");
        for n in 0..count {
            text += &format!("field private int f{n}\n");
            let next = n + 1;
            body += &format!("v{n} = get int Mixed.f{n} of this sum{next} = add sum{n}, v{n}\n");
        }
        let puts: String = (0..count).map(|n| format!("put int Mixed.f{n} of this = v\n")).collect();
        let set = format!("method public void set(int v) {{ {puts} return }}");
        told(&format!(
            "{text} {set} method public void mix() {{ enter this {body} jump end end: exit this return }} }}"
        ))
    };
    assert_eq!(mixed(20), Vec::<String>::new());
    assert_eq!(mixed(30), [format!("{MORE}Mixed.mix")]);
    assert_eq!(
        mixed(450).iter().filter(|told| told.contains("too large")).collect::<Vec<_>>(),
        [
            "methods that are too large to look for stale values: stale does not follow all of their values; the first is Mixed.mix"
        ]
    );
}

#[test]
fn what_is_only_printed_or_returned_is_told_with_low_confidence_if_asked_for() {
    let options = |stale_uses| Options { stale_uses, ..Options::default() };
    let printed = |mark: &str| {
        twice(
            &format!(
                "out = getstatic java.io.PrintStream java.lang.System.out
            call virtual void java.io.PrintStream.println(int)(out, value) {mark}"
            ),
            "zero = 0",
        )
    };
    super::none(&options(StaleUses::Written), &printed(""));
    for wanted in [StaleUses::Printed, StaleUses::Returned] {
        let report = one(&options(wanted), &printed("//~ stale-value"));
        assert_eq!(report.findings().next().map(|found| found.confidence), Some(Confidence::Low));
    }
    // Written back as well: told as that, once.
    let both = twice(
        "out = getstatic java.io.PrintStream java.lang.System.out
        call virtual void java.io.PrintStream.println(int)(out, value)",
        "put int Shared.field of s = value //~ stale-value",
    );
    let report = one(&options(StaleUses::Returned), &both);
    assert_eq!(report.findings().next().map(|found| found.confidence), Some(Confidence::Medium));
    let returned = |mark: &str| {
        super::program(&format!(
            "method public int look() {{
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            enter l
            value = get int Shared.field of s
            exit l
            return value {mark}
        }}"
        ))
    };
    super::none(&options(StaleUses::Printed), &returned(""));
    one(&options(StaleUses::Returned), &returned("//~ stale-value"));
}

#[test]
fn a_call_with_more_targets_than_are_followed_is_a_gap() {
    let targets = |count: usize| {
        let mut text = String::from("public interface Getter { method public abstract int get() }\n");
        let mut calls = String::new();
        for n in 0..count {
            text += &format!(
                "public class G{n} implements Getter {{ method public void <init>() {{ return }}
                    method public int get() {{ v = 1 return v }} }}\n"
            );
            calls += &format!(
                "g{n} = new G{n} call special void G{n}.<init>()(g{n}) call static void Use.one(Getter)(g{n})\n"
            );
        }
        told(&format!(
            "{text} public class Use {{
                method private static void one(Getter g) {{ v = call interface int Getter.get()(g) return }}
                method public void all() {{ {calls} return }} }}"
        ))
    };
    assert_eq!(targets(8), Vec::<String>::new());
    assert_eq!(
        targets(9),
        ["calls with many possible targets: stale does not follow values through calls with more than eight"]
    );
}
