//! The paper's examples and each of its rules, as written traces.

use events::{Block, Event, Lock, Mode, Object, Op, SiteId};
use findings::{Report, Role};

use super::SPEC;
use crate::testing::{check, default, paper, report, subjects};
use crate::{Options, Refinements};

/// The refinements that `set` switches on, no others, in the papers' mode.
fn only(set: impl Fn(&mut Refinements)) -> Options {
    let mut refinements = Refinements::NONE;
    set(&mut refinements);
    Options { refinements, ..paper() }
}

/// All refinements but those that `clear` switches off, in the papers' mode.
fn without(clear: impl Fn(&mut Refinements)) -> Options {
    let mut refinements = Refinements::ALL;
    clear(&mut refinements);
    Options { refinements, ..paper() }
}

fn clean(options: &Options, text: &str) {
    assert_eq!(subjects(&SPEC, options, text), [""; 0], "{text}");
}

/// `lock` is used by three threads, so that its operations are movers to one side.
fn shared(lock: &str) -> String {
    ["A", "B", "C"].map(|t| format!("{t} acquire {lock}\n{t} release {lock}\n")).concat()
}

/// `var` is written by three threads under `lock`, or under none.
fn written(var: &str, lock: Option<&str>) -> String {
    let around = |op: &str, t: &str| lock.map_or(String::new(), |lock| format!("{t} {op} {lock}\n"));
    ["A", "B", "C"]
        .map(|t| format!("{}{t} write {var}\n{}", around("acquire", t), around("release", t)))
        .concat()
}

/// Role, class, method, line and the stack's lines of each step of the one witness.
fn steps(report: &Report) -> Vec<(Role, String, Vec<String>)> {
    let finding = report.findings().next().expect("a finding");
    finding.witnesses[0]
        .steps
        .iter()
        .map(|step| {
            let line = |f: &findings::Frame| format!("{}.{}({}:{})", f.class, f.method, f.file, f.line);
            let stack = std::iter::once(line(&step.place)).chain(step.stack.iter().map(line)).collect();
            (step.role, step.note.clone(), stack)
        })
        .collect()
}

const APPEND: &str = "\
T1 begin StringBuffer.append @ StringBuffer.append(StringBuffer.java:445) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@1 @ StringBuffer.append(StringBuffer.java:445) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@2 @ StringBuffer.length(StringBuffer.java:143) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 read StringBuffer@2.count @ StringBuffer.length(StringBuffer.java:143) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@2 @ StringBuffer.length(StringBuffer.java:144) < StringBuffer.append(StringBuffer.java:451) < UnitTest.main(UnitTest.java:21)
T1 read StringBuffer@1.count @ StringBuffer.append(StringBuffer.java:452) < UnitTest.main(UnitTest.java:21)
T1 acquire StringBuffer@2 @ StringBuffer.getChars(StringBuffer.java:326) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21) //~ non-atomic
T1 read StringBuffer@2.count @ StringBuffer.getChars(StringBuffer.java:327) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@2 @ StringBuffer.getChars(StringBuffer.java:330) < StringBuffer.append(StringBuffer.java:455) < UnitTest.main(UnitTest.java:21)
T1 write StringBuffer@1.count @ StringBuffer.append(StringBuffer.java:456) < UnitTest.main(UnitTest.java:21)
T1 release StringBuffer@1 @ StringBuffer.append(StringBuffer.java:457) < UnitTest.main(UnitTest.java:21)
T1 finish StringBuffer.append @ StringBuffer.append(StringBuffer.java:457) < UnitTest.main(UnitTest.java:21)
";

#[test]
fn figure_2_is_the_report_for_string_buffer_append() {
    let trace = shared("StringBuffer@2") + APPEND;
    for options in [default(), paper()] {
        let report = check(&SPEC, &options, &trace);
        let main = "UnitTest.main(UnitTest.java:21)".to_owned();
        let append = |line| format!("StringBuffer.append(StringBuffer.java:{line})");
        assert_eq!(
            steps(&report),
            [
                (Role::BlockEntered, String::new(), vec![append(445), main.clone()]),
                (
                    Role::Commit,
                    "at lock release".to_owned(),
                    vec!["StringBuffer.length(StringBuffer.java:144)".to_owned(), append(451), main.clone()]
                ),
                (
                    Role::Violation,
                    "at lock acquire".to_owned(),
                    vec!["StringBuffer.getChars(StringBuffer.java:326)".to_owned(), append(455), main]
                ),
            ]
        );
        let finding = report.findings().next().expect("a finding");
        assert_eq!((finding.subject.as_str(), finding.count), ("StringBuffer.append", 1));
        assert_eq!(
            finding.message,
            "StringBuffer.append is not atomic: it releases lock StringBuffer@2 at StringBuffer.java:144 and then \
             acquires lock StringBuffer@2 at StringBuffer.java:326; other threads can act in between"
        );
        let locks: Vec<_> = finding.witnesses[0].steps.iter().map(|step| step.locks.clone()).collect();
        let outer = vec!["StringBuffer@1".to_owned()];
        assert_eq!(locks, [vec![], outer.clone(), outer]);
    }
}

#[test]
fn append_to_a_buffer_that_no_other_thread_knows_is_atomic() {
    clean(&default(), &APPEND.replace("//~ non-atomic", ""));
}

#[test]
fn figure_7_acquire_read_write_release_is_atomic() {
    let before = shared("m") + &written("x", Some("m"));
    clean(
        &paper(),
        &format!("{before}D begin inc\nD acquire m\nD read x\nD write x\nD release m\nD finish inc\n"),
    );
}

#[test]
fn figure_10_the_block_commits_at_the_release_and_no_earlier() {
    let before = shared("m") + &written("x", Some("m")) + &shared("n");
    let block = |before_release: &str, after_release: &str| {
        format!(
            "{before}D begin inc\nD acquire m\nD read x\nD write x\n{before_release}D release m\n{after_release}\
             D release n\nD finish inc\n"
        )
    };
    clean(&paper(), &block("D acquire n\n", ""));
    let report = check(&SPEC, &paper(), &block("", "D acquire n //~ non-atomic\n"));
    assert_eq!(steps(&report)[1].1, "at lock release");
}

#[test]
fn double_it_is_missed_at_first_and_found_the_next_time() {
    let double_it =
        "D begin doubleIt\nD acquire m\nD read x\nOTHER\nD write x MARK\nD release m\nD finish doubleIt\n";
    let before = shared("m") + &written("x", Some("m"));
    // The read counts as protected, then another thread empties the lock set: the write is the first non-mover.
    let first = double_it.replace("OTHER", "E write x").replace("MARK", "");
    clean(&paper(), &format!("{before}{first}"));
    let second = double_it.replace("OTHER", "").replace("MARK", "//~ non-atomic");
    let report = check(&SPEC, &paper(), &format!("{before}{first}{second}"));
    assert_eq!(steps(&report)[1].1, "at a read of x that no lock protects");
    assert_eq!(steps(&report)[2].1, "at a write of x that no lock protects");
}

#[test]
fn write_protected_data_makes_read_and_inc_of_section_4_4_atomic() {
    let trace = |mark: &str| {
        format!(
            "{}{}E begin read\nE read x\nE finish read\n\
             D begin inc\nD acquire m\nD read x\nD write x {mark}\nD release m\nD finish inc\n",
            shared("m"),
            written("x", Some("m"))
        )
    };
    clean(&paper(), &trace(""));
    let options = without(|on| on.write_protected = false);
    check(&SPEC, &options, &trace("//~ non-atomic"));
    assert_eq!(subjects(&SPEC, &options, &trace("")), ["inc"]);
}

#[test]
fn a_write_of_data_that_is_read_without_the_lock_says_so() {
    let trace = format!(
        "{}{}E read x\nD begin twice\nD acquire m\nD write x\nD write x //~ non-atomic\nD release m\nD finish twice\n",
        shared("m"),
        written("x", Some("m"))
    );
    let report = check(&SPEC, &paper(), &trace);
    assert_eq!(steps(&report)[1].1, "at a write of x, which is also read without its lock");
}

/// Not reported with the refinement alone, reported without any.
fn removed_by(set: impl Fn(&mut Refinements), trace: &str) {
    check(&SPEC, &only(|_| {}), trace);
    clean(&only(set), &trace.replace("//~ non-atomic", ""));
}

#[test]
fn a_reentrant_acquire_and_release_move_both_ways() {
    removed_by(
        |on| on.reentrant = true,
        "T begin b\nT acquire m\nT reenter m\nT reexit m\nT reenter m //~ non-atomic\nT reexit m\nT release m\nT finish b\n",
    );
}

#[test]
fn a_lock_of_one_thread_moves_both_ways() {
    removed_by(
        |on| on.thread_local = true,
        "T begin b\nT acquire m\nT release m\nT acquire m //~ non-atomic\nT release m\nT finish b\n",
    );
}

#[test]
fn a_lock_that_was_handed_over_once_moves_both_ways() {
    let trace = "A acquire m\nA release m\n\
        T begin b\nT acquire m\nT release m\nT acquire m //~ non-atomic\nT release m\nT finish b\n";
    removed_by(|on| on.thread_local_2 = true, trace);
    check(&SPEC, &only(|on| on.thread_local = true), trace);
}

#[test]
fn a_lock_that_is_only_taken_under_another_moves_both_ways() {
    let trace = "A acquire m\nA acquire n\nA release n\nA release m\n\
        B acquire m\nB acquire n\nB release n\nB release m\n\
        C begin b\nC acquire m\nC acquire n\nC release n\nC acquire n //~ non-atomic\nC release n\nC release m\nC finish b\n";
    removed_by(|on| on.protected = true, trace);
    check(&SPEC, &without(|on| on.protected = false), trace);
}

#[test]
fn a_lock_that_outlives_its_outer_lock_is_not_protected() {
    check(
        &SPEC,
        &only(|on| on.protected = true),
        "A acquire m\nA acquire n\nA release m\nA release n\n\
         B begin b\nB acquire m\nB acquire n\nB release n\nB acquire n //~ non-atomic\nB release n\nB release m\nB finish b\n",
    );
}

#[test]
fn a_read_lock_protects_no_acquire_that_excludes() {
    let trace = |mode: &str, mark: &str| {
        let around = |t: &str, body: &str| format!("{t} acquire rw {mode}\n{body}{t} release rw {mode}\n");
        around("A", "A acquire n\nA release n\n")
            + "B begin b\n"
            + &around("B", &format!("B acquire n\nB release n\nB acquire n {mark}\nB release n\n"))
            + "B finish b\n"
    };
    check(&SPEC, &only(|on| on.protected = true), &trace("read", "//~ non-atomic"));
    clean(&only(|on| on.protected = true), &trace("", ""));
}

#[test]
fn figure_18_each_refinement_takes_some_findings_away() {
    let before = shared("m")
        + &written("x", Some("m"))
        + "E read x\nA acquire two\nA release two\n\
           A acquire m\nA acquire inner\nA release inner\nA release m\n\
           B acquire m\nB acquire inner\nB release inner\nB release m\n\
           C acquire m\nC acquire inner\nC release inner\nC release m\n";
    let twice = |name: &str, lock: &str| {
        let once = format!("D acquire {lock}\nD release {lock}\n");
        format!("D begin {name}\n{once}{once}D finish {name}\n")
    };
    let mixed = before
        + "D begin reentrant\nD acquire m\nD reenter m\nD reexit m\nD reenter m\nD reexit m\nD release m\nD finish reentrant\n"
        + &twice("local", "one")
        + &twice("handed", "two")
        + "D acquire m\n"
        + &twice("protected", "inner")
        + "D release m\nD begin inc\nD acquire m\nD read x\nD write x\nD release m\nD finish inc\n"
        + &twice("broken", "m");
    let mut on = Refinements::NONE;
    let mut found = vec![subjects(&SPEC, &only(|set| *set = on), &mixed)];
    for step in [
        |on: &mut Refinements| on.reentrant = true,
        |on: &mut Refinements| on.thread_local = true,
        |on: &mut Refinements| on.thread_local_2 = true,
        |on: &mut Refinements| on.protected = true,
        |on: &mut Refinements| on.write_protected = true,
    ] {
        step(&mut on);
        found.push(subjects(&SPEC, &only(|set| *set = on), &mixed));
    }
    let counts: Vec<usize> = found.iter().map(Vec::len).collect();
    assert_eq!(counts, [6, 5, 4, 3, 2, 1], "{found:#?}");
    assert_eq!(found[5], ["broken"]);
}

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
fn the_lock_of_a_dead_object_is_forgotten() {
    let parsed = events::text::parse("test", &(shared("Node@1") + "A free Node@1\n")).expect("a trace");
    let mut symbols = parsed.symbols;
    let mut analysis = crate::Analysis::new(&[&SPEC], &paper());
    analysis.batch(&parsed.events, &symbols).expect("a trace");

    // Another object gets the dead one's index and with it the index of its lock.
    let class = symbols.class("Node");
    let old = symbols.object(Object { class, label: 1 });
    let old_lock = symbols.locks.intern(Lock::Of(old));
    symbols.free(old);
    symbols.recycle();
    let new = symbols.object(Object { class, label: 2 });
    let lock = symbols.locks.intern(Lock::Of(new));
    assert_eq!((new, lock), (old, old_lock));

    let thread = symbols.thread("T");
    let name = symbols.string("b");
    let block = symbols.blocks.intern(Block { name });
    let (acquire, release) =
        (Op::Acquire { lock, mode: Mode::Exclusive }, Op::Release { lock, mode: Mode::Exclusive });
    let events = [Op::Begin { block }, acquire, release, acquire, release, Op::Finish { block }]
        .map(|op| Event { thread, site: SiteId(0), op });
    analysis.batch(&events, &symbols).expect("a trace");
    let report = analysis.finish(&symbols).expect("a trace");
    assert_eq!(report.findings().count(), 0, "only T has used the new object's lock");
}
