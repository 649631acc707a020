//! What `check` accepts and what it refuses, one sentence each.

use events::check::Checker;
use events::{Event, Op, ThreadId, VarId, text};

fn check(trace: &str) -> Result<(), String> {
    let trace = text::parse("test", trace).unwrap_or_else(|e| panic!("{e}"));
    let mut one = Checker::default();
    let whole = one
        .batch(&trace.events, &trace.symbols)
        .and_then(|()| one.finish(&trace.symbols))
        .map_err(|malformed| malformed.to_string());
    // The verdict does not depend on how the trace is cut into batches.
    let mut pieces = Checker::default();
    let cut = trace.events.chunks(1).try_for_each(|batch| pieces.batch(batch, &trace.symbols));
    assert_eq!(whole, cut.map_err(|malformed| malformed.to_string()));
    whole
}

#[track_caller]
fn accepted(trace: &str) {
    assert_eq!(check(trace), Ok(()));
}

#[track_caller]
fn refused(trace: &str, message: &str) {
    assert_eq!(check(trace), Err(message.to_owned()));
}

#[test]
fn a_whole_run_is_accepted() {
    accepted(
        "main start\nmain fork A\nmain fork B\nA start\nA acquire m\nA reenter m\nA wait m\nB acquire m\nB release m
         A woken m\nA reexit m\nA release m\nA acquire rw read\nB acquire rw read\nA release rw read\nB release rw read
         A begin f\nA begin g\nA read x\nA finish g\nA finish f\nA end\nmain join A\nmain join B\nmain write x\nmain end",
    );
}

#[test]
fn locks_may_be_held_and_blocks_open_at_the_end() {
    accepted("A acquire m\nA begin f\nB acquire rw read\nC acquire n\nC wait n");
}

#[test]
fn two_threads_cannot_hold_a_lock() {
    refused("A acquire m\nB acquire m", "event 2: `B` acquires `m`, which `A` holds");
}

#[test]
fn a_reader_keeps_a_writer_out() {
    refused("A acquire m read\nB acquire m", "event 2: `B` acquires `m`, which `A` holds");
}

#[test]
fn a_writer_keeps_a_reader_out() {
    refused("A acquire m\nB acquire m read", "event 2: `B` acquires `m`, which `A` holds");
}

#[test]
fn a_holder_re_enters_instead_of_acquiring() {
    let why = "which it holds already (that is `reenter`)";
    refused("A acquire m\nA acquire m", &format!("event 2: `A` acquires `m`, {why}"));
    refused("A acquire m read\nA acquire m", &format!("event 2: `A` acquires `m`, {why}"));
    refused("A acquire m read\nA acquire m read", &format!("event 2: `A` acquires `m`, {why}"));
}

#[test]
fn a_release_needs_an_acquire() {
    refused("A release m", "event 1: `A` releases `m`, which it does not hold");
    refused("A acquire m\nB release m", "event 2: `B` releases `m`, which it does not hold");
    refused("A acquire m read\nB release m read", "event 2: `B` releases `m`, which it does not hold");
    refused(
        "A acquire C@7\nA release C@7\nA release C@7",
        "event 3: `A` releases `C@7`, which it does not hold",
    );
}

#[test]
fn a_release_has_the_mode_of_its_acquire() {
    refused("A acquire m read\nA release m", "event 2: `A` releases `m`, which it holds in read mode");
    refused("A acquire m\nA release m read", "event 2: `A` releases `m`, which it holds exclusively");
}

#[test]
fn re_entering_needs_the_lock_and_is_balanced() {
    refused("A reenter m", "event 1: `A` re-enters `m`, which it does not hold");
    refused("A reexit m", "event 1: `A` leaves `m`, which it does not hold");
    refused("A acquire m\nA reexit m", "event 2: `A` leaves `m`, which it has not re-entered");
    refused(
        "A acquire m\nA reenter m\nA release m",
        "event 3: `A` releases `m`, which it has re-entered and not left",
    );
    refused(
        "A acquire m read\nA reenter m\nA release m read",
        "event 3: `A` releases `m`, which it has re-entered and not left",
    );
}

#[test]
fn waiting_keeps_count_of_re_entries() {
    refused(
        "A acquire m\nA reenter m\nA wait m\nA woken m\nA release m",
        "event 5: `A` releases `m`, which it has re-entered and not left",
    );
}

#[test]
fn waiting_needs_the_lock_exclusively() {
    let why = "which it does not hold exclusively";
    refused("A wait m", &format!("event 1: `A` waits on `m`, {why}"));
    refused("A acquire m read\nA wait m", &format!("event 2: `A` waits on `m`, {why}"));
}

#[test]
fn waking_needs_a_waiting_thread_and_a_free_lock() {
    refused("A woken m", "event 1: `A` is woken on `m`, on which it does not wait");
    refused("A acquire m\nA wait m\nB acquire m\nA woken m", "event 4: `A` is woken on `m`, which `B` holds");
    refused(
        "A acquire m\nA wait m\nB acquire m read\nA woken m",
        "event 4: `A` is woken on `m`, which `B` holds",
    );
    refused("A acquire m\nA wait m\nA woken n", "event 3: `A` goes on although it waits on `m`");
}

#[test]
fn a_waiting_thread_does_nothing_else() {
    refused("A acquire m\nA wait m\nA read x", "event 3: `A` goes on although it waits on `m`");
    refused("A acquire m\nA wait m\nA start", "event 3: `A` goes on although it waits on `m`");
    refused("A acquire m\nA wait m\nB join A", "event 3: `B` joins `A`, which waits on `m`");
}

#[test]
fn a_fork_comes_before_everything_else_of_its_thread() {
    refused("A read x\nB fork A", "event 2: `B` forks `A`, which has run already");
    refused("A end\nB fork A", "event 2: `B` forks `A`, which has run already");
    refused("B fork A\nC fork A", "event 2: `C` forks `A`, which was forked already");
    refused("B join A\nC fork A", "event 2: `C` forks `A`, which was joined already");
}

#[test]
fn a_join_comes_after_everything_else_of_its_thread() {
    refused("A fork B\nB read x\nA join B\nB read x", "event 4: `B` goes on although it was joined");
    refused("A fork B\nB start\nA join B\nB end", "event 4: `B` goes on although it was joined");
    accepted("A fork B\nB start\nA join B\nC join B");
    accepted("A fork B\nB read x\nB end\nA join B");
}

#[test]
fn nobody_forks_or_joins_itself() {
    refused("A fork A", "event 1: `A` forks itself");
    refused("A join A", "event 1: `A` joins itself");
}

#[test]
fn start_is_a_threads_first_event() {
    refused("A read x\nA start", "event 2: `A` starts although it has run already");
    refused("A start\nA start", "event 2: `A` starts although it has run already");
}

#[test]
fn nothing_comes_after_the_end() {
    refused("A read x\nA end\nA read x", "event 3: `A` goes on although it has ended");
    refused("A end\nB read x\nA write x", "event 3: `A` goes on although it has ended");
}

#[test]
fn blocks_nest() {
    refused("A finish f", "event 1: `A` finishes `f`, but is in no block");
    refused("A begin f\nA begin g\nA finish f", "event 3: `A` finishes `f`, but is in `g`");
    refused("A begin f\nB finish f", "event 2: `B` finishes `f`, but is in no block");
}

#[test]
fn operands_are_in_the_tables() {
    let trace = text::parse("test", "A read x\nA read y").unwrap();
    let wrong = |change: &dyn Fn(&mut Event)| {
        let mut events = trace.events.clone();
        change(&mut events[1]);
        Checker::default().batch(&events, &trace.symbols).unwrap_err().to_string()
    };
    let table = "is not in the trace's tables";
    assert_eq!(wrong(&|e| e.op = Op::Read { var: VarId(2) }), format!("event 2: variable number 2 {table}"));
    assert_eq!(wrong(&|e| e.thread = ThreadId(7)), format!("event 2: thread number 7 {table}"));
    assert_eq!(wrong(&|e| e.site = 9.into()), format!("event 2: site number 9 {table}"));
    assert_eq!(wrong(&|e| e.op = Op::Fork { child: 5.into() }), format!("event 2: thread number 5 {table}"));
    assert_eq!(wrong(&|e| e.op = Op::Reexit { lock: 0.into() }), format!("event 2: lock number 0 {table}"));
    assert_eq!(wrong(&|e| e.op = Op::Begin { block: 0.into() }), format!("event 2: block number 0 {table}"));
    assert_eq!(wrong(&|e| e.op = Op::Signal { on: 0.into() }), format!("event 2: channel number 0 {table}"));
    assert_eq!(wrong(&|e| e.op = Op::Free { object: 0.into() }), format!("event 2: object number 0 {table}"));
    assert_eq!(
        wrong(&|e| e.op = Op::Flow { flow: 0.into(), used: true }),
        format!("event 2: flow number 0 {table}")
    );
    assert_eq!(wrong(&|e| e.op = Op::Mark { text: 99.into() }), format!("event 2: string number 99 {table}"));
}

#[test]
fn a_name_of_many_lines_makes_an_error_of_one() {
    refused("\"A\\nB\" release m", "event 1: `A\\nB` releases `m`, which it does not hold");
}
