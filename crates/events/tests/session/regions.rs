//! Regions that threads define and do again: told as if they were written out, and known to repeat where nobody is in the
//! way. What a thread withheld when its JVM was killed is told too.

use events::session::play::Player;
use events::session::{Kind, Poll, Reader};
use events::{Source as _, Stretches};

use crate::world::{ACCOUNT, Folder, read_of, site, told, write_of};

/// The words of what [`body`] writes.
const WORDS: u64 = 2 + 2 + 2;
const RANGE: u64 = 3 | 5 << 32;

/// Some elements, two monitors, two accesses.
fn body(player: &mut Player, thread: u32) {
    player.range(thread, site(Kind::RangeRead), 50, RANGE).unwrap();
    player.stamped(thread, site(Kind::EnterBlock), 11, ACCOUNT).unwrap();
    player.plain(thread, read_of(1), 11).unwrap();
    player.plain(thread, write_of(2), 11).unwrap();
}

fn begin(player: &mut Player) {
    for thread in [1, 2] {
        player.thread(thread, &thread.to_string()).unwrap();
        player.stamped(thread, site(Kind::Start), 0, 0).unwrap();
    }
}

fn exit(player: &mut Player, thread: u32) {
    player.plain(thread, site(Kind::ExitBlock), 11).unwrap();
}

/// Both threads do the same again and again; what they write if regions are known or not.
fn run(known: bool) -> Folder {
    let folder = Folder::new();
    let mut player = folder.player();
    begin(&mut player);
    for thread in [1, 2] {
        if known {
            player.defines(thread, 1, WORDS).unwrap();
        }
        body(&mut player, thread);
        exit(&mut player, thread);
    }
    for thread in [1, 2, 2, 1, 1] {
        if known {
            player.known(thread, 1, 1).unwrap();
        } else {
            body(&mut player, thread);
        }
        exit(&mut player, thread);
        player.plain(thread, read_of(3), 12).unwrap();
    }
    player.end().unwrap();
    folder
}

#[test]
fn a_known_region_is_told_as_if_it_were_written_out() {
    let (wanted, _) = told(&run(false));
    let (got, reader) = told(&run(true));
    assert!(wanted.len() > 50, "{wanted:#?}");
    // Plain accesses may stand elsewhere between those of other threads.
    for of in ["1 ", "2 ", "1 acquire|2 acquire|1 release|2 release"] {
        let some = |lines: &[String]| -> Vec<String> {
            let is_of = |line: &&String| of.split('|').any(|start| line.starts_with(start));
            lines.iter().filter(is_of).cloned().collect()
        };
        assert_eq!(some(&got), some(&wanted));
    }
    assert!(reader.gaps().is_empty(), "{:?}", reader.gaps());
}

#[test]
fn from_its_third_time_on_a_region_is_known_to_repeat() {
    let folder = run(true);
    let mut reader = Reader::finished(&folder.0).unwrap();
    let mut stretches = Stretches::default();
    assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Events);
    // Each thread defines it, and is told in parts the first time after.
    let repeats = stretches.repeats();
    assert_eq!(repeats.iter().map(|repeat| repeat.number).collect::<Vec<_>>(), [1, 0, 0]);
    assert!(repeats.iter().all(|repeat| repeat.end - repeat.first == 5), "{repeats:?}");
    let heads = &stretches.heads()[repeats[1].first..repeats[1].end];
    assert!(heads.iter().all(|head| head.thread() == heads[0].thread()));
}

#[test]
fn a_region_that_somebody_is_in_the_way_of_is_told_in_its_parts() {
    let folder = Folder::new();
    let mut player = folder.player();
    begin(&mut player);
    player.defines(1, 1, WORDS).unwrap();
    body(&mut player, 1);
    exit(&mut player, 1);
    player.known(1, 1, 1).unwrap();
    exit(&mut player, 1);
    // Something comes before the exit; and the next time the monitor is entered already.
    player.known(1, 1, 1).unwrap();
    player.plain(1, read_of(4), 11).unwrap();
    exit(&mut player, 1);
    player.stamped(1, site(Kind::Enter), 11, ACCOUNT).unwrap();
    player.known(1, 1, 1).unwrap();
    exit(&mut player, 1);
    player.plain(1, site(Kind::Exit), 11).unwrap();
    player.end().unwrap();
    let mut reader = Reader::finished(&folder.0).unwrap();
    let mut stretches = Stretches::default();
    assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Events);
    assert_eq!(stretches.repeats(), []);
    let (lines, reader) = told(&folder);
    assert_eq!(lines.iter().filter(|line| line.contains(" acquire ")).count(), 4, "{lines:#?}");
    assert_eq!(lines.iter().filter(|line| line.contains(" reenter ")).count(), 1, "{lines:#?}");
    assert!(reader.gaps().is_empty(), "{:?}", reader.gaps());
}

#[test]
fn what_was_withheld_when_the_jvm_was_killed_is_told_last() {
    let folder = Folder::new();
    let mut player = folder.player();
    begin(&mut player);
    player.flush(1).unwrap();
    player.enters(1, site(Kind::Enter), 11, ACCOUNT).unwrap();
    player.plain(1, write_of(2), 11).unwrap();
    player.withhold(1).unwrap();
    // Another thread has had the monitor before, and says so later.
    player.stamped(2, site(Kind::Enter), 11, ACCOUNT).unwrap();
    player.plain(2, site(Kind::Exit), 11).unwrap();
    player.flush(2).unwrap();
    drop(player);
    let (lines, _) = told(&folder);
    let last: Vec<&str> = lines.iter().rev().take(2).rev().map(String::as_str).collect();
    assert_eq!(last, ["1 acquire acme.Account@11", "1 write acme.Account@11.f2"], "{lines:#?}");
}

#[test]
fn regions_that_make_no_sense_are_errors_with_a_place() {
    let wrong = |write: fn(&mut Player)| {
        let folder = Folder::new();
        let mut player = folder.player();
        begin(&mut player);
        write(&mut player);
        player.end().unwrap();
        let (_, reader) = told(&folder);
        reader.damage().map(ToString::to_string).unwrap_or_default()
    };
    let unknown = wrong(|player| assert!(player.known(1, 1, 1).unwrap() > 0));
    assert!(unknown.contains("region 1 is not known") && unknown.contains("byte"), "{unknown}");
    let early = wrong(|player| {
        player.defines(1, 7, WORDS).unwrap();
        body(player, 1);
    });
    assert!(early.contains("there is no region 7 yet"), "{early}");
    let long = wrong(|player| player.defines(1, 1, 1 << 30).unwrap());
    assert!(long.contains("a region of"), "{long}");
    let within = wrong(|player| {
        player.defines(1, 1, 3).unwrap();
        player.defines(1, 2, WORDS).unwrap();
        body(player, 1);
    });
    assert!(within.contains("make no sense"), "{within}");
    let cut = wrong(|player| {
        player.defines(1, 1, 5).unwrap();
        body(player, 1);
    });
    assert_eq!(cut, "", "the last record is not part of it");
    let torn = wrong(|player| {
        player.defines(1, 1, 1).unwrap();
        body(player, 1);
    });
    assert!(torn.contains("make no sense"), "{torn}");
}
