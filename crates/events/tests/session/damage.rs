//! Sessions that were cut off or damaged: what can be read is read, what is missing is said, nothing panics.

use std::fs;

use events::check::Checker;
use events::session::layout::{CHUNKS, FIRST_CHUNK, NAMES};
use events::session::{Kind, Reader};
use events::{Source as _, TraceError};

use crate::order::{Random, Run, step};
use crate::world::{ACCOUNT, Folder, read, read_as, site};

#[test]
fn a_killed_jvm_loses_only_what_it_had_not_written() {
    let mut lost = 0;
    for seed in 0..20 {
        let folder = Folder::new();
        let mut player = folder.player();
        let mut run = Run::new(seed, 5, 0);
        run.begin(&mut player);
        (0..200 + seed * 40).for_each(|_| assert!(run.step(&mut player)));
        // Some thread is stopped in the middle of a record.
        player.tear(1 + seed as u32 % 5, 8 * (seed as usize % 4)).unwrap();
        drop(player);
        let mut reader = Reader::finished(&folder.0).unwrap();
        let told = read_as(&mut reader, step);
        for thread in 1..=5 {
            let written = run.written.iter().filter(|step| step.0 == thread);
            let told = told.iter().filter(|step| step.0 == thread);
            assert!(told.clone().count() <= written.clone().count());
            assert!(told.zip(written).all(|(told, written)| told == written), "thread {thread}");
        }
        let gap = reader.gaps().iter().find(|gap| gap.what == "the end of the run").unwrap();
        assert!(gap.why.contains("was killed"), "{}", gap.why);
        lost += usize::from(gap.count > 1);
    }
    assert!(lost > 2, "some stamps were lost somewhere: {lost}");
}

/// Reads a session that may be damaged in any way; the trace must be one that a run can have made.
fn read_damaged(folder: &Folder) -> Result<usize, TraceError> {
    let mut reader = Reader::finished(&folder.0)?;
    let mut checker = Checker::default();
    let mut batch = Vec::new();
    let mut events = 0;
    while reader.fill(&mut batch)? {
        checker.batch(&batch, reader.symbols()).unwrap_or_else(|wrong| panic!("{wrong}"));
        events += batch.len();
    }
    match reader.damage() {
        Some(damage) => Err(TraceError::new(damage.file.clone(), damage.place, damage.reason.clone())),
        None => Ok(events),
    }
}

fn small(seed: u64) -> Folder {
    let folder = Folder::new();
    let mut player = folder.player();
    let mut run = Run::new(seed, 4, 0);
    run.begin(&mut player);
    (0..400).for_each(|_| assert!(run.step(&mut player)));
    player.end().unwrap();
    folder
}

#[test]
fn a_file_that_was_cut_anywhere_is_read_or_refused() {
    let folder = small(1);
    let mut refused = 0;
    for name in [CHUNKS, NAMES] {
        let path = folder.0.join(name);
        let whole = fs::read(&path).unwrap();
        let step = (whole.len() / 150).max(1);
        for length in (0..whole.len()).step_by(step) {
            fs::write(&path, &whole[..length]).unwrap();
            refused += usize::from(read_damaged(&folder).is_err());
        }
        fs::write(&path, &whole).unwrap();
    }
    assert!(refused > 100, "{refused}");
    assert!(read_damaged(&folder).unwrap() > 1_000);
}

#[test]
fn changed_bytes_are_read_or_refused() {
    let mut random = Random(5);
    let (mut refused, mut told) = (0, 0);
    for seed in 0..2 {
        let folder = small(seed);
        for name in [CHUNKS, NAMES] {
            let path = folder.0.join(name);
            let whole = fs::read(&path).unwrap();
            // The ring is all zero, and what is in it does not matter here.
            let first = if name == CHUNKS { FIRST_CHUNK as usize * 4096 } else { 0 };
            for _ in 0..300 {
                let mut bytes = whole.clone();
                for _ in 0..=random.below(3) {
                    let at = match random.below(6) {
                        0 => random.below(400).min(whole.len() as u64 - 1) as usize,
                        _ => first + random.below((whole.len() - first) as u64) as usize,
                    };
                    bytes[at] = random.below(256) as u8;
                }
                fs::write(&path, &bytes).unwrap();
                match read_damaged(&folder) {
                    Ok(_) => told += 1,
                    Err(_) => refused += 1,
                }
            }
            fs::write(&path, &whole).unwrap();
        }
    }
    assert!(refused > 100 && told > 100, "{refused} {told}");
}

#[test]
fn damage_is_told_with_its_file_and_place() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "main").unwrap();
    player.stamped(1, site(Kind::Start), 0, 0).unwrap();
    player.plain(1, 4_000, 7).unwrap();
    player.stamped(1, site(Kind::Enter), 7, ACCOUNT).unwrap();
    player.end().unwrap();
    let mut reader = Reader::finished(&folder.0).unwrap();
    assert_eq!(read(&mut reader).len(), 1, "what came before the damage is told");
    let damage = reader.damage().unwrap().to_string();
    let place = FIRST_CHUNK as usize * 4096 + 64 + 16;
    let expected = format!("{}: byte {place}: site number 4000 has no name", folder.0.join(CHUNKS).display());
    assert_eq!(damage, expected);
    assert!(reader.gaps().iter().any(|gap| gap.what.starts_with("the end of")));
}

#[test]
fn what_is_no_session_is_refused() {
    let folder = Folder::new();
    let refused = || Reader::finished(&folder.0).err().unwrap().to_string();
    assert!(refused().ends_with("not a session: there are no names in it"), "{}", refused());
    drop(folder.player());
    fs::write(folder.0.join(CHUNKS), [7; 100]).unwrap();
    assert!(refused().ends_with("byte 0: not a session: the first bytes are others"), "{}", refused());
}
