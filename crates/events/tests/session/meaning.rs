//! What each kind of record comes to mean.

use events::session::layout::{GONE_BLOCK, GONE_ROWS};
use events::session::names::{CLASSES_WOVEN, Frame};
use events::session::record::{Extra, Hold, range};
use events::session::{Entry, Kind, Reader};
use events::{FlowId, FlowKind, Source as _};

use crate::world::{ACCOUNT, Folder, MAP, WRITE_STATIC, read_of, site, told};

/// One thread that does stamped things to object 7.
fn stamped(kinds: &[Kind]) -> (Vec<String>, Vec<(String, u64)>) {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    for &kind in kinds {
        player.stamped(1, site(kind), 7, ACCOUNT).unwrap();
    }
    player.end().unwrap();
    let (lines, reader) = told(&folder);
    let gaps = reader.gaps().iter().map(|gap| (gap.what.clone(), gap.count)).collect();
    (lines, gaps)
}

#[test]
fn only_the_outermost_enter_is_an_acquire_and_blocks_lie_inside_the_lock() {
    let (lines, gaps) =
        stamped(&[Kind::Start, Kind::EnterBlock, Kind::Enter, Kind::Exit, Kind::ExitBlock, Kind::End]);
    let expected = [
        "main start",
        "main acquire acme.Account@7",
        "main begin acme.Account.run",
        "main reenter acme.Account@7",
        "main reexit acme.Account@7",
        "main finish acme.Account.run",
        "main release acme.Account@7",
        "main end",
    ];
    assert_eq!(lines, expected);
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn an_exit_without_an_enter_is_a_gap() {
    let (lines, gaps) = stamped(&[Kind::Exit, Kind::Wait, Kind::Woken, Kind::ExitBlock, Kind::Enter]);
    assert_eq!(lines, ["main acquire acme.Account@7"]);
    assert_eq!(gaps, [("releases of locks".to_owned(), 3), ("blocks".to_owned(), 1)]);
}

#[test]
fn a_wait_gives_every_hold_up_and_gets_it_back() {
    let (lines, gaps) = stamped(&[Kind::Enter, Kind::Enter, Kind::Wait, Kind::Woken, Kind::Exit, Kind::Exit]);
    let expected = ["acquire", "reenter", "wait", "woken", "reexit", "release"];
    let expected: Vec<String> = expected.iter().map(|op| format!("main {op} acme.Account@7")).collect();
    assert_eq!(lines, expected);
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn a_downgraded_lock_gives_order_and_stays_held() {
    let (lines, gaps) = stamped(&[Kind::Acquire, Kind::AcquireRead, Kind::Release, Kind::ReleaseRead]);
    let expected = [
        "main acquire acme.Account@7",
        "main reenter acme.Account@7",
        "main reexit acme.Account@7",
        "main release acme.Account@7",
        "main acquire acme.Account@7 read tries",
        "main release acme.Account@7 read",
    ];
    assert_eq!(lines, expected);
    assert!(gaps.is_empty(), "{gaps:?}");
}

#[test]
fn a_monitor_and_a_lock_of_one_object_are_two_locks() {
    let (lines, _) = stamped(&[Kind::Acquire, Kind::Enter, Kind::Exit, Kind::Release]);
    let expected = [
        "main acquire acme.Account@7",
        "main acquire acme.Account.monitor@7",
        "main release acme.Account.monitor@7",
        "main release acme.Account@7",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_conversion_is_one_step() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.stamped(1, site(Kind::AcquireRead), 7, ACCOUNT).unwrap();
    let up = Extra::Modes { from: Hold::Read, to: Hold::Exclusive };
    player.extended(1, site(Kind::Convert), 7, ACCOUNT, up).unwrap();
    let away = Extra::Modes { from: Hold::Exclusive, to: Hold::Not };
    player.extended(1, site(Kind::Convert), 7, ACCOUNT, away).unwrap();
    player.end().unwrap();
    let expected = ["acquire acme.Account@7 read", "release acme.Account@7 read"];
    let expected = expected.into_iter().chain(["acquire acme.Account@7 tries", "release acme.Account@7"]);
    assert_eq!(told(&folder).0, expected.map(|line| format!("main {line}")).collect::<Vec<_>>());
}

#[test]
fn threads_begin_and_end_once_and_are_joined_when_they_have_ended() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    // The child is known by name before it runs, and two threads may have one name.
    let child = Entry::Thread { number: 2, name: "main".into(), page: 0, creator: 1 };
    player.name(&child).unwrap();
    player.stamped(1, site(Kind::Join), 2, 0).unwrap();
    player.stamped(1, site(Kind::Fork), 2, 0).unwrap();
    player.stamped(1, site(Kind::Fork), 2, 0).unwrap();
    player.thread(2, "main").unwrap();
    player.stamped(2, site(Kind::Start), 0, 0).unwrap();
    player.stamped(1, site(Kind::Join), 2, 0).unwrap();
    player.stamped(2, site(Kind::Enter), 7, ACCOUNT).unwrap();
    player.stamped(2, site(Kind::End), 0, 0).unwrap();
    player.stamped(1, site(Kind::Join), 2, 0).unwrap();
    player.stamped(1, site(Kind::Enter), 7, ACCOUNT).unwrap();
    player.end().unwrap();
    let (lines, reader) = told(&folder);
    let expected = [
        "main fork main#2",
        "main#2 start",
        "main#2 acquire acme.Account@7",
        "main#2 release acme.Account@7",
        "main#2 end",
        "main join main#2",
        "main acquire acme.Account@7",
    ];
    assert_eq!(lines, expected);
    let gaps: Vec<_> = reader.gaps().iter().map(|gap| (gap.what.as_str(), gap.count)).collect();
    assert_eq!(gaps, [("starts and joins of threads", 2)], "a second start, a join before the end");
}

#[test]
fn accesses_name_fields_statics_elements_and_whole_objects() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.plain(1, site(Kind::Read), 7).unwrap();
    player.plain(1, WRITE_STATIC, 0).unwrap();
    player.range(1, site(Kind::ArrayWrite), 8, range(3, 9)).unwrap();
    player.range(1, site(Kind::ArrayRead), 8, range(0, 1)).unwrap();
    player.range(1, site(Kind::ObjectWrite), 9, u64::from(MAP)).unwrap();
    player.plain(1, site(Kind::ObjectRead), 9).unwrap();
    player.extended(1, site(Kind::UpdateRead), 8, 0, Extra::Element(2)).unwrap();
    player.extended(1, site(Kind::UpdateWrite), 7, 0, Extra::Field(2)).unwrap();
    player.plain(1, site(Kind::Freeze), 7).unwrap();
    player.plain(1, site(Kind::Mark), 1).unwrap();
    player.stamped(1, site(Kind::Initialised), u64::from(ACCOUNT), 0).unwrap();
    player.stamped(1, site(Kind::Uses), u64::from(ACCOUNT), 0).unwrap();
    player.stamped(1, site(Kind::Signal), 9, MAP).unwrap();
    player.end().unwrap();
    let expected = [
        "main read acme.Account@7.f1",
        "main write acme.Account.total",
        "main write int[]@8[3..9]",
        "main read int[]@8[0]",
        "main write java.util.HashMap@9.contents",
        "main read java.util.HashMap@9.contents",
        "main vread int[]@8[2] update",
        "main vwrite acme.Account@7.f2 update",
        "main freeze acme.Account@7",
        "main mark testTransfer",
        "main signal \"initialisation of acme.Account\"",
        "main observe \"initialisation of acme.Account\"",
        "main signal java.util.HashMap@9",
    ];
    assert_eq!(told(&folder).0, expected);
}

#[test]
fn steps_through_an_array_are_one_access() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.steps(1, site(Kind::ArrayWrite), 8, range(3, 10), 3).unwrap();
    player.range(1, site(Kind::ArrayRead), 8, range(6, 7)).unwrap();
    player.steps(1, site(Kind::ArrayRead), 8, range(0, 3), 2).unwrap();
    player.end().unwrap();
    let expected = ["main write int[]@8[3..10:3]", "main read int[]@8[6]", "main read int[]@8[0..3:2]"];
    assert_eq!(told(&folder).0, expected);
}

#[test]
fn elements_of_arrays_that_are_gone_and_were_one_threads_are_passed_over() {
    const FAR: u64 = 8 + GONE_BLOCK * GONE_ROWS;
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    for array in [8, 9, 1032, FAR] {
        player.range(1, site(Kind::ArrayWrite), array, range(3, 9)).unwrap();
        player.plain(1, site(Kind::Read), 7).unwrap();
        player.steps(1, site(Kind::ArrayRead), array, range(0, 3), 2).unwrap();
    }
    player.stamped(1, site(Kind::Signal), 8, 0).unwrap();
    for gone in [9, 8, FAR] {
        player.gone(gone).unwrap();
    }
    player.end().unwrap();
    // The last one has the row of the first block now.
    let expected = [
        "int[]@8[3..9]",
        "int[]@8[0..3:2]",
        "int[]@9[3..9]",
        "int[]@9[0..3:2]",
        "int[]@1032[3..9]",
        "int[]@1032[0..3:2]",
    ];
    let lines = told(&folder).0;
    let elements: Vec<_> =
        lines.iter().filter_map(|line| line.split(' ').nth(2)).filter(|what| what.contains('[')).collect();
    assert_eq!(elements, expected);
    assert_eq!(lines.iter().filter(|line| line.ends_with("Account@7.f1")).count(), 4, "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("main signal")),
        "locks and channels of it stay: {lines:?}"
    );

    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.gone(1033).unwrap();
    player.range(1, site(Kind::ArrayWrite), 1032, range(0, 1)).unwrap();
    player.range(1, site(Kind::ArrayWrite), 1033, range(0, 1)).unwrap();
    player.end().unwrap();
    assert_eq!(told(&folder).0, ["main write int[]@1032[0]"]);
}

#[test]
fn steps_that_make_no_sense_are_refused() {
    let wrong = [
        (8, range(3, 10), 4),
        (8, range(3, 10), 1),
        (8, range(3, 10), 3 << 32),
        (8, range(10, 3), 7),
        (0, range(3, 10), 3),
    ];
    for (array, elements, step) in wrong {
        let folder = Folder::new();
        let mut player = folder.player();
        player.thread(1, "main").unwrap();
        player.steps(1, site(Kind::ArrayWrite), array, elements, step).unwrap();
        player.end().unwrap();
        let (lines, reader) = told(&folder);
        let damage = reader.damage().expect("it is refused").reason.clone();
        assert!(lines.is_empty() && damage.contains("do not say which or of what"), "{damage}");
    }
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.steps(1, site(Kind::ArrayWrite), 8, range(0, 2_000_001), 2).unwrap();
    player.steps(1, site(Kind::ArrayWrite), 8, range(u32::MAX - 3, u32::MAX), 2).unwrap();
    player.end().unwrap();
    let expected = ["main write int[]@8[0..2000001:2]", "main write int[]@8[4294967292..4294967295:2]"];
    assert_eq!(told(&folder).0, expected);
}

#[test]
fn a_watched_value_is_read_and_used() {
    let folder = Folder::new();
    let mut player = folder.player();
    let (method, line) = (1, 12);
    let site = |number, kind: Kind, operand, text: &str| {
        let (kind, text) = (kind.number(), text.to_owned());
        Entry::Site { number, method, line, kind, operand, text, of: String::new() }
    };
    player.name(&site(400, Kind::FlowRead, 0, "beside")).unwrap();
    player.name(&site(401, Kind::FlowRead, 0, "any")).unwrap();
    player.name(&site(402, Kind::FlowUse, 400, "")).unwrap();
    player.name(&site(403, Kind::FlowUse, 400, "")).unwrap();
    player.thread(1, "main").unwrap();
    for number in [read_of(1), 400, 401, 402, 403] {
        player.plain(1, number, if number == read_of(1) { 7 } else { 0 }).unwrap();
    }
    // With a stamp it means the same.
    for number in [400, 402] {
        player.stamped(1, number, 0, 0).unwrap();
    }
    player.end().unwrap();
    let (lines, reader) = told(&folder);
    // What is used nowhere is no flow.
    let expected = [
        "main read acme.Account@7.f1",
        "main flow 1 read",
        "main flow 1",
        "main flow 1",
        "main flow 1 read",
        "main flow 1",
    ];
    assert_eq!(lines, expected);
    let flow = reader.symbols().flows.get(FlowId(1));
    assert_eq!((flow.kind, flow.from == flow.to), (FlowKind::Beside, true), "on one line");
}

#[test]
fn a_use_of_a_flow_that_is_read_nowhere_is_refused() {
    let folder = Folder::new();
    let mut player = folder.player();
    let entry = |number, operand| Entry::Site {
        number,
        method: 1,
        line: 1,
        kind: Kind::FlowUse.number(),
        operand,
        text: String::new(),
        of: String::new(),
    };
    player.name(&entry(400, site(Kind::Read))).unwrap();
    player.thread(1, "main").unwrap();
    player.plain(1, 400, 0).unwrap();
    player.end().unwrap();
    let mut reader = Reader::finished(&folder.0).unwrap();
    assert!(!reader.fill(&mut Vec::new()).unwrap());
    assert!(reader.gaps().iter().any(|gap| gap.why.contains("read nowhere")), "{:?}", reader.gaps());
}

#[test]
fn a_class_that_is_told_later_replaces_a_guess() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.name(&Entry::ClassObject { object: 5, class: ACCOUNT }).unwrap();
    player.thread(1, "main").unwrap();
    player.plain(1, site(Kind::Read), 7).unwrap();
    player.range(1, site(Kind::Known), 7, u64::from(MAP)).unwrap();
    player.stamped(1, site(Kind::Enter), 5, 0).unwrap();
    player.end().unwrap();
    let expected = ["main read java.util.HashMap@7.(acme.Account.f1)", "main acquire acme.Account.class@5"];
    assert_eq!(told(&folder).0, expected);
}

#[test]
fn the_dead_are_told_after_everybody_who_spoke_of_them() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.thread(2, "other").unwrap();
    player.stamped(2, site(Kind::Start), 0, 0).unwrap();
    player.stamped(1, site(Kind::Start), 0, 0).unwrap();
    player.plain(2, site(Kind::Write), 7).unwrap();
    player.stamped(1, site(Kind::Free), 7, 0).unwrap();
    player.plain(1, site(Kind::Write), 8).unwrap();
    player.end().unwrap();
    let (lines, _) = told(&folder);
    let at = |line: &str| lines.iter().position(|one| one == line).unwrap_or(usize::MAX);
    let free = lines.iter().position(|line| line.ends_with("free acme.Account@7")).unwrap();
    assert!(at("other write acme.Account@7.f1") < free, "{lines:?}");
}

#[test]
fn stacks_counts_and_gaps_arrive() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    let frame = Frame { class: "acme/Bank".into(), method: "pay(I)V".into(), file: String::new(), line: 3 };
    player.name(&Entry::Stack { number: 1, thread: 1, site: 1, frames: vec![frame] }).unwrap();
    for number in [3, 4] {
        player.name(&Entry::Count { what: CLASSES_WOVEN.into(), number }).unwrap();
        player.name(&Entry::Gap { what: "class A".into(), why: "large".into(), count: number }).unwrap();
    }
    player.end().unwrap();
    let (lines, reader) = told(&folder);
    assert!(lines.is_empty());
    assert_eq!(reader.counts(), [(CLASSES_WOVEN.to_owned(), 4)]);
    assert_eq!(reader.gaps().first().map(|gap| gap.count), Some(7));
    let stack = &reader.symbols().stacks.rows()[0];
    let caller = reader.symbols().sites.get(stack.callers[0]);
    assert_eq!(reader.symbols().str(reader.symbols().methods.get(caller.method.unwrap()).name), "pay(I)V");
    assert_eq!(reader.symbols().sites.get(stack.site).line, 1);
}

#[test]
fn a_session_folder_opens_like_a_trace() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.plain(1, site(Kind::Read), 7).unwrap();
    player.end().unwrap();
    let mut source = events::open(&folder.0).unwrap();
    let mut batch = Vec::new();
    assert!(source.fill(&mut batch).unwrap());
    assert_eq!(batch.len(), 1);
}

#[test]
fn a_name_that_was_written_after_the_last_look_is_found() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    let mut reader = events::session::Reader::live(&folder.0).unwrap().unwrap();
    let mut stretches = events::Stretches::default();
    player.plain(1, site(Kind::Read), 7).unwrap();
    player.flush(1).unwrap();
    reader.poll(&mut stretches).unwrap();
    player.name(&Entry::Class { number: 3, name: "acme.Late".into(), file: String::new() }).unwrap();
    player.name(&Entry::ClassObject { object: 5, class: 3 }).unwrap();
    player.stamped(1, site(Kind::Enter), 8, 3).unwrap();
    player.stamped(1, site(Kind::Enter), 5, 2).unwrap();
    player.flush(1).unwrap();
    reader.poll(&mut stretches).unwrap();
    let names: Vec<String> =
        reader.symbols().locks.iter().map(|(lock, _)| reader.symbols().lock_name(lock)).collect();
    assert_eq!(names, ["acme.Late@8", "acme.Late.class@5"]);
}

#[test]
fn who_only_tries_takes_the_lock_all_the_same() {
    let (lines, gaps) = stamped(&[Kind::TryAcquire, Kind::Release, Kind::TryAcquireRead, Kind::ReleaseRead]);
    let expected = [
        "main acquire acme.Account@7 tries",
        "main release acme.Account@7",
        "main acquire acme.Account@7 read tries",
        "main release acme.Account@7 read",
    ];
    assert_eq!(lines, expected);
    assert!(gaps.is_empty(), "{gaps:?}");
}
