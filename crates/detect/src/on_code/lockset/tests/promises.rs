//! What `@GuardedBy` says, in all of its forms, and what is made of it.

use findings::Confidence;

use super::super::SPEC;
use super::{ADD, BARE, INCREMENT, WRITE, library, none, plain, program};
use crate::Options;
use crate::on_code::testing::{check, report};

#[test]
fn guarded_by_is_taken_at_its_word() {
    let report = check(&SPEC, &Options::default(), &library("", "@a.b.GuardedBy(value = \"this\")", BARE));
    let finding = report.findings().next().expect("a finding");
    assert_eq!(finding.confidence, Confidence::Medium, "nothing is known of threads");
    assert!(finding.message.contains("guarded by this"), "{}", finding.message);
    none(&library("", "@GuardedBy(value = \"this\")", ""));
}

#[test]
fn a_guard_that_is_no_lock_of_the_jvm_is_a_gap_and_no_finding() {
    // `Gate` keeps threads apart by methods of its own, as Guava's `Monitor` does.
    let gate = "class Gate { method public void enter() { return } }";
    let guarded = |more: &str| {
        library(
            "",
            "field private Gate gate @GuardedBy(value = \"gate\")",
            &format!("{} {more}", plain(BARE)),
        ) + gate
    };
    let quiet = report(&SPEC, &Options::default(), &guarded(""));
    assert_eq!(quiet.findings().count(), 0, "{quiet:#?}");
    let gaps: Vec<String> = quiet.gaps().map(|gap| gap.what).collect();
    assert!(gaps.contains(&"Library.x, guarded by gate".to_owned()), "{gaps:?}");
    // Once somebody locks it, it is a lock like any other.
    let locks = "method public void clear() {
            gate = get Gate Library.gate of this enter gate zero = 0 put int Library.x of this = zero exit gate return
        }";
    let told = report(&SPEC, &Options::default(), &guarded(locks));
    assert!(told.findings().any(|found| found.message.contains("guarded by gate")), "{told:#?}");
}

#[test]
fn a_method_guarded_by_what_is_no_lock_of_the_jvm_is_a_gap_and_no_finding() {
    let text = |enter: &str| {
        format!(
            "class Gate {{ method public void enter() {{ return }} }}
            public class Library {{
                field private final Gate gate
                method public void <init>() {{
                    g = new Gate put Gate Library.gate of this = g return
                }}
                @GuardedBy(value = \"gate\") method private void step() {{ return }}
                method public void work() {{
                    g = get Gate Library.gate of this
                    call virtual void Gate.enter()(g)
                    call special void Library.step()(this)
                    return
                }}
                method public void clear() {{ g = get Gate Library.gate of this {enter} return }}
            }}"
        )
    };
    let quiet = report(&SPEC, &Options::default(), &text(""));
    assert_eq!(quiet.findings().count(), 0, "{quiet:#?}");
    assert!(quiet.gaps().any(|gap| gap.what == "method Library.step, guarded by gate"), "{quiet:#?}");
    let told = report(&SPEC, &Options::default(), &text("enter g exit g"));
    assert_eq!(told.findings().count(), 1, "{told:#?}");
}

#[test]
fn a_lock_that_is_reached_another_way_may_be_the_declared_one() {
    // As Guava's `Monitor` and its guards: whoever holds the owner's lock uses parts that say they are guarded by it.
    let text = |more: &str| {
        format!(
            "public class Owner {{
                field final java.lang.Object lock
                method public void <init>() {{
                    l = new java.lang.Object put java.lang.Object Owner.lock of this = l return
                }}
                @GuardedBy(value = \"lock\") method public void step(Part p) {{
                    zero = 0 put int Part.x of p = zero return
                }}
                method public void work(Part p) {{
                    l = get java.lang.Object Owner.lock of this
                    enter l call virtual void Owner.step(Part)(this, p) exit l return
                }}
            }}
            public class Part {{
                field final Owner owner
                @GuardedBy(value = \"owner.lock\") field int x
                method public void <init>(Owner o) {{ put Owner Part.owner of this = o return }}
                {more}
            }}"
        )
    };
    none(&text(""));
    // The lock of another part is another one.
    let other = "@GuardedBy(value = \"owner.lock\") method public void copy(Part to) {
            zero = 0 put int Part.x of to = zero //~ data-race
            return
        }
        method public void work(Part to) {
            o = get Owner Part.owner of this l = get java.lang.Object Owner.lock of o
            enter l call virtual void Part.copy(Part)(this, to) exit l return
        }";
    check(&SPEC, &Options::default(), &text(other));
}

/// A class with a field that is guarded as the annotation says, an access with a lock and one without. The class is
/// nested in one, and has another beside it in its package.
fn nested(annotation: &str, lock: &str, mark: &str) -> String {
    format!(
        "class java.lang.Object extends nothing {{ method public void <init>() unread }}
        public class p.Other {{ field static final java.lang.Object LOCK }}
        public class p.Other$In {{ }}
        class q.Far {{ }}
        public class p.Outer {{
            field final java.lang.Object around
            method void <init>() {{ l = new java.lang.Object put java.lang.Object p.Outer.around of this = l return }}
        }}
        public class p.Outer$Inner {{
            field final synthetic p.Outer this$0
            field final java.lang.Object lock
            field final p.Outer holder
            @GuardedBy(value = \"{annotation}\")
            field int x
            method public void <init>(p.Outer outer, p.Outer held) {{
                l = new java.lang.Object
                put p.Outer p.Outer$Inner.this$0 of this = outer
                put java.lang.Object p.Outer$Inner.lock of this = l
                put p.Outer p.Outer$Inner.holder of this = held
                return
            }}
            method java.lang.Object lock() {{ l = get java.lang.Object p.Outer$Inner.lock of this return l }}
            method public void set(int value) {{
                {lock}
                enter l
                put int p.Outer$Inner.x of this = value {mark}
                exit l
                return
            }}
        }}"
    )
}

#[test]
fn every_way_to_name_a_lock_is_understood() {
    let outer = "o = get p.Outer p.Outer$Inner.this$0 of this";
    let around = format!("{outer} l = get java.lang.Object p.Outer.around of o");
    let own = "l = get java.lang.Object p.Outer$Inner.lock of this";
    let this = "l = cast p.Outer$Inner this";
    let rows: &[(&str, &str)] = &[
        ("this", this),
        ("Inner.this", this),
        ("Outer.Inner.this", this),
        ("Outer.this", "l = get p.Outer p.Outer$Inner.this$0 of this"),
        ("lock", own),
        ("this.lock", own),
        ("Inner.this.lock", own),
        ("lock()", own),
        ("this.lock()", own),
        ("around", &around),
        ("Outer.this.around", &around),
        (
            "holder.around",
            "h = get p.Outer p.Outer$Inner.holder of this l = get java.lang.Object p.Outer.around of h",
        ),
        ("Other.LOCK", "l = getstatic java.lang.Object p.Other.LOCK"),
        ("p.Other.LOCK", "l = getstatic java.lang.Object p.Other.LOCK"),
        ("Other.class", "l = class p.Other"),
        ("p.Other.class", "l = class p.Other"),
        ("Other.In.class", "l = class p.Other$In"),
        ("Inner.class", "l = class p.Outer$Inner"),
        ("Outer.Inner.class", "l = class p.Outer$Inner"),
        ("Far.class", "l = class q.Far"),
        ("Object.class", "l = class java.lang.Object"),
    ];
    for (annotation, lock) in rows {
        let kept = report(&SPEC, &Options::default(), &nested(annotation, lock, ""));
        assert_eq!(kept.findings().count(), 0, "{annotation}: {kept:#?}");
        assert!(!kept.gaps().any(|gap| gap.what.contains("guarded by")), "{annotation}: {kept:#?}");
        // Another lock is none.
        let wrong = "l = class p.Nobody";
        let broken = check(&SPEC, &Options::default(), &nested(annotation, wrong, "//~ data-race"));
        let message = &broken.findings().next().expect("marked").message;
        assert!(message.contains(&format!("guarded by {annotation},")), "{message}");
    }
}

#[test]
fn a_guard_that_cannot_be_understood_is_a_gap() {
    for annotation in ["itself", "unlock()", "Nowhere.LOCK", "no.such.Type.class", "the big lock", ""] {
        let found = report(&SPEC, &Options::default(), &nested(annotation, "l = class p.Other", ""));
        assert_eq!(found.findings().count(), 0, "{annotation}: {found:#?}");
        let what = format!("p.Outer$Inner.x, guarded by {annotation}");
        assert!(found.gaps().any(|gap| gap.what == what && gap.count == 1), "{annotation}: {found:#?}");
    }
}

#[test]
fn a_broken_promise_is_of_high_confidence_only_where_threads_meet() {
    let guarded = |run: &str, main: [&str; 3]| {
        let text = program(run, &INCREMENT.replace("MARK", ""), main);
        text.replace("field int x", "@GuardedBy(value = \"this\") field int x")
    };
    let confidence = |text: &str| {
        let report = report(&SPEC, &Options::default(), text);
        report.findings().map(|finding| finding.confidence).collect::<Vec<_>>()
    };
    assert_eq!(confidence(&guarded(ADD, ["", "", ""])), [Confidence::High]);
    // Each thread has its own, or the others have ended: nobody is harmed, but it is not as it is written down.
    let own = format!("d = new Counter call special void Counter.<init>()(d) {}", ADD.replace("(c)", "(d)"));
    assert_eq!(confidence(&guarded(&own, ["", "", ""])), [Confidence::Low]);
    assert_eq!(confidence(&guarded("", ["", "", WRITE])), [Confidence::Low]);
}

#[test]
fn a_write_needs_more_than_the_read_lock() {
    let class = "java.util.concurrent.locks.ReentrantReadWriteLock";
    let text = |guard: &str, kind: &str, access: &str| {
        let view = if kind == "ReadLock" { "readLock" } else { "writeLock" };
        format!(
            "public class Cache {{
            field private final {class} rw
            field private final {class}$ReadLock reading
            @GuardedBy(value = \"{guard}\") field private int x
            method public void <init>() {{
                rw = new {class}
                r = call virtual {class}$ReadLock {class}.readLock()(rw)
                put {class} Cache.rw of this = rw
                put {class}$ReadLock Cache.reading of this = r
                return
            }}
            method public int use(int value) {{
                rw = get {class} Cache.rw of this
                l = call virtual {class}${kind} {class}.{view}()(rw)
                call virtual void {class}${kind}.lock()(l)
                {access}
                call virtual void {class}${kind}.unlock()(l)
                return value
            }}
            method public void clear() {{
                rw = get {class} Cache.rw of this
                zero = 0
                l = call virtual {class}$WriteLock {class}.writeLock()(rw)
                call virtual void {class}$WriteLock.lock()(l)
                put int Cache.x of this = zero
                call virtual void {class}$WriteLock.unlock()(l)
                return
            }} }}"
        )
    };
    let (read, write) = ("y = get int Cache.x of this", "put int Cache.x of this = value");
    for guard in ["rw", "reading"] {
        none(&text(guard, "WriteLock", write));
        none(&text(guard, "ReadLock", read));
        check(&SPEC, &Options::default(), &text(guard, "ReadLock", &format!("{write} //~ data-race")));
    }
}

#[test]
fn a_method_may_say_what_its_callers_hold() {
    let guarded = |call: &str| {
        library(
            "",
            "",
            &format!(
                "@GuardedBy(value = \"this\") method public void helper() {{
                    zero = 0 put int Library.x of this = zero return }}
                method public void clear() {{ {call}
                    return }}"
            ),
        )
    };
    none(&guarded("enter this call virtual void Library.helper()(this) exit this"));
    let text = guarded("call virtual void Library.helper()(this) //~ data-race");
    let found = check(&SPEC, &Options::default(), &text);
    let finding = found.findings().next().expect("marked");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("Library.helper", Confidence::Medium));
    // Whoever makes the object needs no lock.
    none(&guarded("l = new Library call virtual void Library.helper()(l)"));
    let unclear = guarded("call virtual void Library.helper()(this)").replace("\"this\"", "\"itself\"");
    let found = report(&SPEC, &Options::default(), &unclear);
    assert!(found.gaps().any(|gap| gap.what == "method Library.helper, guarded by itself"), "{found:#?}");
}
