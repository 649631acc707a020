//! The figures of the paper, nested locks, `wait`, getters and setters, as programs in text form.

mod order;
mod waits;

use findings::{Confidence, Report};

use super::{SPEC, flows};
use crate::Options;
use crate::on_code::testing::{check, code};

fn paper() -> Options {
    Options { paper: true, ..Options::default() }
}

/// A library whose class has a lock and shared data, and these methods.
fn program(methods: &str) -> String {
    format!(
        "public class Shared {{ field int field field int other }}
        public class Work {{
            field private final java.lang.Object lock
            field private final java.lang.Object inner
            field private final Shared shared
            method public void <init>(Shared s) {{
                l = new java.lang.Object
                i = new java.lang.Object
                put Shared Work.shared of this = s
                put java.lang.Object Work.lock of this = l
                put java.lang.Object Work.inner of this = i
                return
            }}
            method public void clear() {{
                l = get java.lang.Object Work.lock of this
                s = get Shared Work.shared of this
                i = get java.lang.Object Work.inner of this
                zero = 0
                enter l
                enter i
                put int Shared.field of s = zero
                exit i
                exit l
                return
            }}
            method public int f(int value) {{ one = 1 more = add value, one return more }}
            {methods}
        }}"
    )
}

/// Reads under the lock, then something, then writes under the lock.
fn twice(between: &str, second: &str) -> String {
    program(&format!(
        "method public void work() {{
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            enter l
            value = get int Shared.field of s
            exit l
            {between}
            enter l
            {second}
            exit l
            return
        }}"
    ))
}

fn none(options: &Options, text: &str) {
    assert!(!text.contains("//~"), "{text}");
    check(&SPEC, options, text);
}

fn one(options: &Options, text: &str) -> Report {
    let report = check(&SPEC, options, text);
    assert_eq!(report.findings().count(), 1, "{report:#?}");
    report
}

#[test]
fn figure_1_swap_and_reset_hold_no_stale_value() {
    let text = "public class Coord {
        field private final java.lang.Object lock
        field int x
        field int y
        method public void swap() {
            l = get java.lang.Object Coord.lock of this
            enter l
            old = get int Coord.x of this
            y = get int Coord.y of this
            put int Coord.x of this = y
            put int Coord.y of this = old
            exit l
            return
        }
        method public void reset() {
            l = get java.lang.Object Coord.lock of this
            zero = 0
            enter l
            put int Coord.x of this = zero
            exit l
            enter l
            put int Coord.y of this = zero
            exit l
            return
        } }";
    none(&Options::default(), text);
    none(&paper(), text);
}

#[test]
fn figure_2_a_split_increment_is_one_finding() {
    let text = twice("one = 1 more = add value, one", "put int Shared.field of s = more //~ stale-value");
    let report = one(&Options::default(), &text);
    let finding = report.findings().next().expect("one");
    assert_eq!((finding.subject.as_str(), finding.confidence), ("Shared.field", Confidence::Medium));
    let steps = &finding.witnesses[0].steps;
    assert_eq!(
        steps.iter().map(|step| step.place.line).collect::<Vec<_>>(),
        [31, 21, 35],
        "read, other, write"
    );
    assert_eq!(steps[0].locks, ["Work.lock"]);
    // The paper sees it at the first use of the value.
    let text = twice("one = 1 more = add value, one //~ stale-value", "put int Shared.field of s = more");
    one(&paper(), &text);
}

#[test]
fn figure_4_no_value_passes_from_one_round_to_the_next() {
    let text = program(
        "method public void daemon() {
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            jump round
        round:
            enter l
            value = get int Shared.field of s
            next = call virtual int Work.f(int)(this, value)
            put int Shared.field of s = next
            exit l
            call static void java.lang.Thread.sleep()()
            jump round
        }",
    );
    none(&Options::default(), &text);
    none(&paper(), &text);
}

/// A buffer whose elements are taken out, and the loop of Figure 5.
const BUFFER: &str = "public class Buffer {
        field private final int[] slots
        field private int head
        field private int tail
        method public int next() {
            a = get int[] Buffer.slots of this
            h = get int Buffer.head of this
            v = load int a[h]
            one = 1
            more = add h, one
            put int Buffer.head of this = more
            return v
        }
        method public void add(int value) {
            a = get int[] Buffer.slots of this
            t = get int Buffer.tail of this
            store int a[t] = value
            one = 1
            more = add t, one
            put int Buffer.tail of this = more
            return
        }
    }
    public class Worker {
        field private final java.lang.Object lock
        field private final Buffer buffer
        method public void <init>(Buffer b, java.lang.Object l) {
            put Buffer Worker.buffer of this = b
            put java.lang.Object Worker.lock of this = l
            return
        }
        method public int f(int value) { one = 1 more = add value, one return more }
        method public void work() {
            l = get java.lang.Object Worker.lock of this
            b = get Buffer Worker.buffer of this
            jump round
        round:
            enter l
            value = call virtual int Buffer.next()(b)
            exit l
            data = call virtual int Worker.f(int)(this, value) MARK
            enter l
            call virtual void Buffer.add(int)(b, data)
            exit l
            jump round
        }
    }";

#[test]
fn figure_5_what_was_handed_over_is_not_stale_but_with_the_paper() {
    none(&Options::default(), &BUFFER.replace("MARK", ""));
    one(&paper(), &BUFFER.replace("MARK", "//~ stale-value"));
}

#[test]
fn figure_6_what_was_checked_again_is_not_stale_but_with_the_paper() {
    let text = |mark: &str| {
        program(&format!(
            "method public void transaction() {{
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            jump round
        round:
            enter l
            value = get int Shared.field of s
            exit l
            data = call virtual int Work.f(int)(this, value) {mark}
            enter l
            now = get int Shared.field of s
            if value == now then same else other
        same:
            put int Shared.field of s = data
            exit l
            return
        other:
            exit l
            jump round
        }}"
        ))
    };
    none(&Options::default(), &text(""));
    one(&paper(), &text("//~ stale-value"));
}

#[test]
fn a_value_that_is_only_returned_or_printed_is_no_finding() {
    none(&Options::default(), &twice("call static void Log.print(int)(value)", "zero = 0"));
    none(&Options::default(), &twice("zero = 0", "put int Shared.field of s = zero"));
}

#[test]
fn another_field_of_the_object_under_the_same_lock_is_a_finding_of_low_confidence() {
    let text = twice("one = 1", "put int Shared.other of s = value //~ stale-value");
    let report = one(&Options::default(), &text);
    assert_eq!(report.findings().next().map(|finding| finding.confidence), Some(Confidence::Low));
}

#[test]
fn the_outer_lock_keeps_a_nested_value_fresh_if_all_writers_hold_it() {
    let nested = "method public void work() {
            l = get java.lang.Object Work.lock of this
            i = get java.lang.Object Work.inner of this
            s = get Shared Work.shared of this
            enter l
            enter i
            value = get int Shared.field of s
            exit i
            one = 1
            more = add value, one PAPER
            enter i
            put int Shared.field of s = more DEFAULT
            exit i
            exit l
            return
        }";
    let text = |methods: &str, paper: &str, default: &str| {
        program(&format!("{}{methods}", nested.replace("PAPER", paper).replace("DEFAULT", default)))
    };
    none(&Options::default(), &text("", "", ""));
    one(&paper(), &text("", "//~ stale-value", ""));
    // A writer that holds the inner lock alone can come in between.
    let other = "method public void reset() {
            i = get java.lang.Object Work.inner of this
            s = get Shared Work.shared of this
            zero = 0
            enter i
            put int Shared.field of s = zero
            exit i
            return
        }";
    one(&Options::default(), &text(other, "", "//~ stale-value"));
}

#[test]
fn a_use_in_a_nested_block_is_one_for_the_paper_only() {
    let text = |mark: &str| {
        program(&format!(
            "method public void work() {{
            l = get java.lang.Object Work.lock of this
            i = get java.lang.Object Work.inner of this
            s = get Shared Work.shared of this
            enter l
            value = get int Shared.field of s
            enter i
            put int Shared.field of s = value {mark}
            exit i
            exit l
            return
        }}"
        ))
    };
    none(&Options::default(), &text(""));
    one(&paper(), &text("//~ stale-value"));
}

#[test]
fn wait_ends_a_block() {
    let text = |wait: &str, mark: &str| {
        program(&format!(
            "method public void work() {{
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            enter l
            value = get int Shared.field of s
            {wait}
            one = 1
            more = add value, one
            put int Shared.field of s = more {mark}
            exit l
            return
        }}"
        ))
    };
    one(&Options::default(), &text("call virtual void java.lang.Object.wait()(l)", "//~ stale-value"));
    none(&Options::default(), &text("", ""));
}

/// A counter with a getter and a setter that lock, and an increment made of both.
fn counter(increment: &str) -> String {
    format!(
        "public class Counter {{
            field private int x
            method public int getX() {{
                enter this
                value = get int Counter.x of this
                exit this
                return value
            }}
            method public void setX(int value) {{
                enter this
                put int Counter.x of this = value
                exit this
                return
            }}
            {increment}
        }}"
    )
}

#[test]
fn a_getter_and_a_setter_make_no_increment() {
    let text = counter(
        "method public void increment() {
            old = call virtual int Counter.getX()(this)
            one = 1
            new = add old, one
            call virtual void Counter.setX(int)(this, new) //~ stale-value
            return
        }",
    );
    let report = one(&Options::default(), &text);
    assert_eq!(report.findings().next().map(|finding| finding.subject.as_str()), Some("Counter.x"));
}

#[test]
fn a_lock_that_is_held_all_the_time_is_only_taken_again() {
    let held = |first: &str, last: &str, kind: &str| {
        counter(&format!(
            "method {kind} void increment() {{
            {first}
            old = call virtual int Counter.getX()(this)
            one = 1
            new = add old, one
            call virtual void Counter.setX(int)(this, new)
            {last}
            return
        }}"
        ))
    };
    none(&Options::default(), &held("enter this", "exit this", "public"));
    // The caller of a private method holds it.
    let caller = "method public void twice() {
            enter this
            call special void Counter.increment()(this)
            exit this
            return
        } ";
    let text = held("", "", "private").replace("method private", &format!("{caller} method private"));
    none(&Options::default(), &text);
}

#[test]
fn a_setter_that_looks_first_is_no_lost_update() {
    let text = counter(
        "method public void setIfLess(int value) {
            enter this
            now = get int Counter.x of this
            if now < value then set else left
        set:
            put int Counter.x of this = value
            jump left
        left:
            exit this
            return
        }
        method public void increment() {
            old = call virtual int Counter.getX()(this)
            one = 1
            new = add old, one
            call virtual void Counter.setIfLess(int)(this, new)
            return
        }",
    );
    none(&Options::default(), &text);
}

#[test]
fn a_ticket_is_its_takers_own() {
    let text = program(
        "method public void work() {
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            enter l
            ticket = get int Shared.field of s
            one = 1
            next = add ticket, one
            put int Shared.field of s = next
            exit l
            enter l
            put int Shared.other of s = ticket
            exit l
            return
        }",
    );
    none(&Options::default(), &text);
}

#[test]
fn a_field_that_nobody_else_writes_is_never_stale() {
    let text = "public class Alone {
        field private final java.lang.Object lock
        field int x
        field int y
        method public void work() {
            l = get java.lang.Object Alone.lock of this
            enter l
            value = get int Alone.x of this
            exit l
            enter l
            put int Alone.y of this = value
            exit l
            return
        } }";
    none(&Options::default(), text);
}

#[test]
fn locks_of_java_util_concurrent_open_blocks_too() {
    let text = "public class Juc {
        field private final java.util.concurrent.locks.ReentrantLock lock
        field int x
        method public void work() {
            l = get java.util.concurrent.locks.ReentrantLock Juc.lock of this
            call virtual void java.util.concurrent.locks.ReentrantLock.lock()(l)
            value = get int Juc.x of this
            call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)
            one = 1
            more = add value, one
            call virtual void java.util.concurrent.locks.ReentrantLock.lock()(l)
            put int Juc.x of this = more //~ stale-value
            call virtual void java.util.concurrent.locks.ReentrantLock.unlock()(l)
            return
        } }";
    one(&Options::default(), text);
}

/// The flows that a run would watch: kind, line of the read, line at which its value arrives, lines of the uses.
fn watched(options: &Options, text: &str) -> Vec<(&'static str, i32, i32, Vec<i32>)> {
    let code = code(text);
    let line = |method, inst| code.frame(method, Some(inst)).line;
    let found = flows(&code, options).into_iter().map(|flow| {
        let uses = flow.uses.iter().map(|inst| line(flow.method, *inst)).collect();
        let source = line(flow.source.method, flow.source.inst);
        (flow.kind.word(), source, line(flow.method, flow.read), uses)
    });
    found.collect()
}

#[test]
fn what_is_reported_is_watched() {
    let text = twice("one = 1 more = add value, one", "put int Shared.field of s = more");
    assert_eq!(watched(&Options::default(), &text), [("back", 31, 31, vec![35])]);
    assert_eq!(watched(&paper(), &text), [("any", 31, 31, vec![33])]);
    let text = twice("one = 1", "put int Shared.other of s = value");
    assert_eq!(watched(&Options::default(), &text), [("beside", 31, 31, vec![35])]);
    let text = twice("one = 1", "put int Shared.field of s = one");
    assert_eq!(watched(&Options::default(), &text), []);
}

#[test]
fn a_getter_and_a_setter_are_watched_where_they_are_called() {
    let increment = |get: &str, set: &str| {
        format!(
            "public class Counter {{
                field private int x
                method public int getX() {{
                    enter this
                    value = get int Counter.x of this
                    exit this
                    {get}
                }}
                method public void setX(int value) {{
                    enter this
                    {set}
                    put int Counter.x of this = value
                    jump end
                end:
                    exit this
                    return
                }}
                method public void increment() {{
                    old = call virtual int Counter.getX()(this)
                    one = 1
                    new = add old, one
                    call virtual void Counter.setX(int)(this, new)
                    return
                }}
            }}"
        )
    };
    assert_eq!(
        watched(&Options::default(), &increment("return value", "")),
        [("back", 5, 19, vec![22])],
        "read in the getter, used by the call of the setter"
    );
    // Another access after the read: it is not the last one any more.
    let twice = "again = get int Counter.x of this return value";
    assert_eq!(watched(&Options::default(), &increment(twice, "")), []);
    // A getter that may return something else.
    let other = "if value == 0 then some else none some: return value none: zero = 0 return zero";
    assert_eq!(watched(&Options::default(), &increment(other, "")), []);
    // A setter that may leave it.
    let perhaps = "if value == 0 then end else set set:";
    assert_eq!(watched(&Options::default(), &increment("return value", perhaps)), []);
}

#[test]
fn a_value_that_may_be_another_one_is_not_watched() {
    let text = |first: &str, second: &str| {
        program(&format!(
            "method public void work(int given) {{
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            if given == 0 then old else new
        old:
            enter l
            value = get int Shared.field of s
            exit l
            jump both({first})
        new:
            jump both({second})
        both(int kept):
            enter l
            put int Shared.field of s = kept
            exit l
            return
        }}"
        ))
    };
    assert_eq!(watched(&Options::default(), &text("value", "given")), []);
}

#[test]
fn a_value_that_goes_around_a_loop_is_watched() {
    let text = program(
        "method public void work(int given) {
            l = get java.lang.Object Work.lock of this
            s = get Shared Work.shared of this
            enter l
            value = get int Shared.field of s
            exit l
            jump round(value)
        round(int sum):
            one = 1
            more = add sum, one
            if more < given then round(more) else done
        done:
            enter l
            put int Shared.field of s = more
            exit l
            return
        }",
    );
    assert_eq!(watched(&Options::default(), &text), [("back", 31, 31, vec![40])]);
}

#[test]
fn what_nobody_else_writes_is_watched_and_called_unlikely() {
    let text = "public class Alone {
        field private final java.lang.Object lock
        field private final java.lang.Object inner
        field int x
        method public void work() {
            l = get java.lang.Object Alone.lock of this
            i = get java.lang.Object Alone.inner of this
            enter l
            enter i
            value = get int Alone.x of this
            exit i
            enter i
            put int Alone.x of this = value
            exit i
            exit l
            return
        } }";
    none(&Options::default(), text);
    assert_eq!(watched(&Options::default(), text), [("unlikely", 10, 10, vec![13])]);
}

#[test]
fn what_was_read_of_an_object_that_is_taken_out_belongs_to_the_taker() {
    let text = |take: &str, mark: &str| {
        format!(
            "public class Node {{ field int count }}
            public class Stack {{
                field private Node top
                method public void push(Node n) {{ enter this put Node Stack.top of this = n exit this return }}
                method public void bump(Node n) {{ enter this one = 1 put int Node.count of n = one exit this return }}
                method public void work() {{
                    none = null
                    enter this
                    n = get Node Stack.top of this
                    old = get int Node.count of n
                    {take}
                    exit this
                    one = 1
                    more = add old, one
                    enter this
                    put int Node.count of n = more {mark}
                    exit this
                    return
                }}
            }}"
        )
    };
    none(&Options::default(), &text("put Node Stack.top of this = none", ""));
    one(&Options::default(), &text("", "//~ stale-value"));
}

#[test]
fn only_what_threads_of_the_program_are_seen_to_share_is_a_finding_of_high_confidence() {
    use crate::on_code::testing::JDK;
    let text = |objects: &str| {
        format!(
            "{JDK}
            class Counter {{ field int x method void <init>() {{ return }}
                method void add() {{
                    enter this
                    old = get int Counter.x of this
                    exit this
                    one = 1 new = add old, one
                    enter this
                    put int Counter.x of this = new //~ stale-value
                    exit this
                    return
                }} }}
            class Task extends java.lang.Thread {{ field private final Counter counter
                method void <init>(Counter c) {{
                    call special void java.lang.Thread.<init>()(this) put Counter Task.counter of this = c return }}
                method public void run() {{
                    c = get Counter Task.counter of this call virtual void Counter.add()(c) return }} }}
            class Main {{ method public static void main(java.lang.String[] args) {{
                {objects}
                a = new Task call special void Task.<init>(Counter)(a, c) call virtual void Task.start()(a)
                b = new Task call special void Task.<init>(Counter)(b, d) call virtual void Task.start()(b)
                return }} }}"
        )
    };
    let confidence =
        |objects: &str| one(&Options::default(), &text(objects)).findings().next().map(|f| f.confidence);
    let make = |name: &str| format!("{name} = new Counter call special void Counter.<init>()({name})");
    assert_eq!(confidence(&format!("{} d = cast Counter c", make("c"))), Some(Confidence::High));
    // Which of two objects it is cannot be told.
    let either = "z = 0 if z == 0 then both(p) else both(q) both(ref c): d = cast Counter c";
    assert_eq!(confidence(&format!("{} {} {either}", make("p"), make("q"))), Some(Confidence::Medium));
}

#[test]
fn one_lock_taken_on_either_way_through_a_loop_comes_to_an_end() {
    let text = program(
        "method public void work(int n) {
            l = get java.lang.Object Work.lock of this
            jump round
        round:
            if n == 0 then one else other
        one:
            enter l
            exit l
            jump round
        other:
            enter l
            exit l
            if n == 0 then round else over
        over:
            return
        }",
    );
    none(&Options::default(), &text);
}
