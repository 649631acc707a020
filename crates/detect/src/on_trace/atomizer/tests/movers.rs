//! Each kind of operation, nested blocks, waiting, and what happens when data or objects go.

use events::{Event, Field, Object, Op, SiteId, Slot, Variable};

use super::super::SPEC;
use super::{clean, shared, steps, written};
use crate::Options;
use crate::testing::{check, default, paper, report, subjects};

#[test]
fn nested_blocks_each_report() {
    let trace = shared("m")
        + "T begin outer\nT begin inner\nT acquire m\nT release m\nT acquire m //~ non-atomic\nT release m\n\
           T finish inner\nT acquire m\nT release m\nT finish outer\n";
    let report = check(&SPEC, &paper(), &trace);
    let found: Vec<_> = report.findings().map(|finding| (finding.subject.as_str(), finding.count)).collect();
    assert_eq!(found, [("inner", 1), ("outer", 1)]);
}

#[test]
fn a_block_may_be_atomic_inside_one_that_is_not() {
    let inner = "T begin inner\nT acquire m MARK\nT release m\nT finish inner\n";
    let trace = format!(
        "{}T begin outer\n{}{}T finish outer\n",
        shared("m"),
        inner.replace("MARK", ""),
        inner.replace("MARK", "//~ non-atomic")
    );
    check(&SPEC, &paper(), &trace);
    assert_eq!(subjects(&SPEC, &paper(), &trace.replace("//~ non-atomic", "")), ["outer"]);
}

#[test]
fn one_execution_is_reported_once_and_the_next_one_again() {
    let once = "T acquire m\nT release m\n";
    let block = format!("T begin b\n{once}{once}{once}{once}T finish b\n");
    let report = report(&[&SPEC], &paper(), &format!("{}{block}{block}", shared("m")));
    assert_eq!(report.findings().next().expect("a finding").count, 2);
}

#[test]
fn wait_ends_every_block_and_opens_it_anew() {
    let around =
        |body: &str| format!("{}T begin b\nT acquire m\n{body}T release m\nT finish b\n", shared("m"));
    clean(&paper(), &around("T wait m\nT woken m\n"));
    clean(
        &paper(),
        &(shared("n") + &around("T acquire n\nT release n\nT wait m\nT woken m\nT acquire n\nT release n\n")),
    );
    let trace = shared("n")
        + &around("T wait m\nT woken m\nT acquire n\nT release n\nT acquire n //~ non-atomic\nT release n\n");
    let report = check(&SPEC, &paper(), &trace);
    let notes = &report.findings().next().expect("a finding").witnesses[0].notes;
    assert!(notes.iter().any(|note| note.contains("has waited")), "{notes:?}");
}

#[test]
fn volatile_operations_do_not_move() {
    for (first, second) in [("vread", "vread"), ("vwrite", "vread"), ("vread", "vwrite")] {
        check(&SPEC, &paper(), &format!("T begin b\nT {first} v\nT {second} v //~ non-atomic\nT finish b\n"));
    }
    clean(&paper(), "T begin b\nT vread v\nT finish b\nT vread v\n");
}

#[test]
fn volatile_operations_move_where_a_lock_protects_them() {
    let default = Options::default();
    let shared = |lock: &str| {
        ["A", "B", "C"].map(|t| format!("{t} acquire {lock}\n{t} vwrite v\n{t} release {lock}\n")).concat()
    };
    let block = |steps: &str| format!("T acquire m\nT begin b\n{steps}T finish b\nT release m\n");
    let twice = block("T vread v\nT vwrite v\nT vread w\nT vread w\n");
    clean(&default, &(shared("m") + &twice));
    check(&SPEC, &paper(), &(shared("m") + &block("T vread v\nT vwrite v //~ non-atomic\n")));
    // Under another lock, and read by somebody under none.
    check(&SPEC, &default, &(shared("n") + &block("T vwrite v\nT vread v //~ non-atomic\n")));
    let read_outside = shared("m") + "A vread v\n";
    clean(&default, &(read_outside.clone() + &block("T vread v\nT vread v\nT vwrite v\n")));
    check(&SPEC, &default, &(read_outside + &block("T vwrite v\nT vwrite v //~ non-atomic\n")));
}

#[test]
fn a_volatile_that_nobody_writes_any_more_moves_and_so_does_one_of_a_single_thread() {
    let default = Options::default();
    clean(&default, "A vwrite v\nT begin b\nT vread v\nT vread v\nT finish b\n");
    clean(&default, "T begin b\nT vwrite v\nT vwrite v\nT finish b\n");
    check(&SPEC, &default, "A vwrite v\nT begin b\nT vwrite v\nT vwrite v //~ non-atomic\nT finish b\n");
}

#[test]
fn an_atomic_update_is_one_step_and_a_failed_one_is_none() {
    let update = "T vread v update\nT vwrite v update\n";
    let failed = "T vread v update\n";
    clean(&paper(), &format!("T begin b\n{failed}{failed}{update}{failed}T finish b\n"));
    let report = check(
        &SPEC,
        &paper(),
        &format!("T begin b\n{update}T vread v update\nT vwrite v update //~ non-atomic\nT finish b\n"),
    );
    assert_eq!(steps(&report)[1].1, "at an atomic update");
}

#[test]
fn a_non_mover_may_follow_acquires_and_precede_releases() {
    clean(&paper(), &(shared("m") + "T begin b\nT acquire m\nT vwrite v\nT release m\nT finish b\n"));
    check(
        &SPEC,
        &paper(),
        &(shared("m") + "T begin b\nT vwrite v\nT acquire m //~ non-atomic\nT release m\nT finish b\n"),
    );
    check(
        &SPEC,
        &paper(),
        &(shared("m") + "T begin b\nT acquire m\nT release m\nT vread v //~ non-atomic\nT finish b\n"),
    );
}

#[test]
fn a_task_with_two_regions_is_not_atomic() {
    // The Remote Agent: a value is checked in one region and relied on in the next.
    let trace = shared("table")
        + &written("Entry.value", Some("table"))
        + "T begin Task.run\nT acquire table\nT read Entry.value\nT release table\n\
           T acquire table //~ non-atomic\nT write Entry.achieved\nT release table\nT finish Task.run\n";
    for options in [default(), paper()] {
        let report = check(&SPEC, &options, &trace);
        let notes = &report.findings().next().expect("a finding").witnesses[0].notes;
        assert!(notes[1].starts_with("Hold table over the whole block"), "{notes:?}");
    }
}

#[test]
fn what_only_one_thread_uses_is_silent() {
    let block = "T begin b\nT read x\nT write x\nT write x\nT acquire m\nT release m\nT acquire m\nT release m\nT finish b\n";
    clean(&paper(), &block.repeat(3));
}

#[test]
fn what_is_only_read_after_it_was_shared_is_silent() {
    clean(&paper(), "A write x\nB read x\nC read x\nA read x\nT begin b\nT read x\nT read x\nT finish b\n");
}

#[test]
fn unprotected_data_does_not_move() {
    let trace = written("x", None) + "T begin b\nT read x\nT read x //~ non-atomic\nT finish b\n";
    check(&SPEC, &paper(), &trace);
}

#[test]
fn no_lock_set_is_refined_while_the_variable_is_only_read() {
    // Three threads read without a lock; the sets start at the write, with the writer's locks.
    let trace = shared("m")
        + "A read x\nB read x\nC read x\nA acquire m\nA write x\nA release m\n\
           T begin b\nT acquire m\nT write x\nT write x\nT release m\nT finish b\n";
    clean(&paper(), &trace);
}

#[test]
fn a_lock_held_in_read_mode_protects_reads_only() {
    let before = shared("rw") + &written("x", Some("rw"));
    clean(
        &paper(),
        &format!("{before}T begin b\nT acquire rw read\nT read x\nT read x\nT release rw read\nT finish b\n"),
    );
    check(
        &SPEC,
        &paper(),
        &format!(
            "{before}T begin b\nT acquire rw read\nT write x\nT write x //~ non-atomic\nT release rw read\nT finish b\n"
        ),
    );
}

#[test]
fn data_that_is_handed_over_is_silent_by_default() {
    // Each thread has the variable for itself, one after the other.
    let turn = |t: &str| {
        format!("{t} observe turn\n{t} begin b\n{t} write x\n{t} read x\n{t} finish b\n{t} signal turn\n")
    };
    let trace = ["A", "B", "C", "D"].map(turn).concat();
    clean(&default(), &trace);
    assert_eq!(subjects(&SPEC, &paper(), &trace), ["b"]);
}

#[test]
fn a_block_that_signals_or_forks_is_atomic() {
    let before = shared("m");
    for step in ["signal latch", "fork U"] {
        let twice = if step.starts_with("signal") { "T signal queue\n" } else { "T fork V\n" };
        clean(
            &default(),
            &format!("{before}T begin b\nT acquire m\nT {step}\n{twice}T release m\nT finish b\n"),
        );
    }
    let report = check(
        &SPEC,
        &default(),
        &format!("{before}T begin b\nT signal latch\nT acquire m //~ non-atomic\nT release m\nT finish b\n"),
    );
    assert_eq!(steps(&report)[1].1, "at a signal on latch");
}

#[test]
fn an_observation_breaks_a_block_only_if_the_signal_came_after_the_commit() {
    let before = shared("m") + "U signal init\n";
    let block = |between: &str, mark: &str| {
        format!("{before}T begin b\nT acquire m\nT release m\n{between}T observe init {mark}\nT finish b\n")
    };
    clean(&default(), &block("", ""));
    clean(&default(), &block("T signal init\n", ""));
    check(&SPEC, &default(), &block("U signal init\n", "//~ non-atomic"));
    check(&SPEC, &default(), &block("U signal init\nT signal init\n", "//~ non-atomic"));
}

#[test]
fn a_join_breaks_a_block_only_if_the_thread_was_running_after_the_commit() {
    let trace = |early: &str, late: &str, mark: &str| {
        format!(
            "T fork U\nU start\n{early}{}T begin b\nT acquire m\nT release m\n{late}T join U {mark}\nT finish b\n",
            shared("m")
        )
    };
    clean(&default(), &trace("U end\n", "", ""));
    check(&SPEC, &default(), &trace("", "U end\n", "//~ non-atomic"));
}

#[test]
fn a_commit_at_a_variable_that_has_died_since_names_no_other_variable() {
    let unprotected = written("Node@1.next", None);
    let text = format!("{unprotected}T begin b\nT read Node@1.next\nA free Node@1\n");
    let parsed = events::text::parse("test", &text).expect("a trace");
    let mut symbols = parsed.symbols;
    let mut analysis = crate::Analysis::new(&[&SPEC], &paper());
    analysis.batch(&parsed.events, &symbols).expect("a trace");

    // A field of another object gets the dead variable's index.
    let Op::Read { var } = parsed.events[4].op else { panic!("the read") };
    let old = *symbols.variables().get(var);
    symbols.free(old.object.expect("a field of an object"));
    symbols.recycle();
    let class = symbols.class("Tree");
    let name = symbols.string("root");
    let root = symbols.fields.intern(Field { class: Some(class), name, is_final: false });
    let object = symbols.object(Object { class, label: 2 });
    let new = symbols.variable(Variable { object: Some(object), slot: Slot::Field(root) });
    assert_eq!(new, var);

    let volatile = symbols.variable(Variable { object: None, slot: Slot::Field(root) });
    let thread = symbols.thread("T");
    let op = Op::VolatileWrite { var: volatile, update: false };
    analysis.batch(&[Event { thread, site: SiteId(0), op }], &symbols).expect("a trace");
    let report = analysis.finish(&symbols).expect("a trace");
    let steps = &report.findings().next().expect("a finding").witnesses[0].steps;
    assert_eq!(steps[1].target, "");
    assert_eq!(steps[1].note, "at a read of a field of an object that has died, which no lock protects");
}

#[test]
fn the_initialisation_of_a_class_is_no_step_of_the_block_that_needs_it() {
    let block = |channel: &str| {
        format!(
            "
T2 vread v
T1 begin Shop.open
T1 signal \"{channel}\"
T1 vwrite v
T1 finish Shop.open
"
        )
    };
    assert!(subjects(&SPEC, &default(), &block("initialisation of Shop")).is_empty());
    assert_eq!(subjects(&SPEC, &default(), &block("a latch")), ["Shop.open"]);
}

#[test]
fn data_that_rests_under_a_common_lock_wakes_when_somebody_comes_without_it() {
    let under = |thread: &str, locks: &str, accesses: &[&str]| {
        let taken: String = locks.chars().map(|lock| format!("{thread} acquire {lock}\n")).collect();
        let given: String = locks.chars().rev().map(|lock| format!("{thread} release {lock}\n")).collect();
        let accesses: String = accesses.iter().map(|access| format!("{thread} {access}\n")).collect();
        format!("{taken}{accesses}{given}")
    };
    let trace = |last: &str, mark: &str| {
        let write = format!("write x {mark}");
        [
            under("T", "ab", &["write x"]),
            under("U", "ab", &["write x"]),
            under("T", "ac", &["write x"]),
            under("U", "ab", &["write x", "read x"]),
            under("U", "ad", &["write x"]),
            "T begin b\n".to_owned(),
            under("T", last, &["read x", &write]),
            "T finish b\n".to_owned(),
        ]
        .concat()
    };
    check(&SPEC, &default(), &trace("ae", ""));
    check(&SPEC, &default(), &trace("c", "//~ non-atomic"));
}
