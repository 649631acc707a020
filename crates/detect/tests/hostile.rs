//! Broken classes, all the way through the checks: findings or gaps, never a panic.

#[path = "support/exercise.rs"]
mod exercise;

use std::path::Path;
use std::process::Command;

use exercise::exercise;

/// The largest classes of some of the papers' programs.
fn seeds() -> Vec<Vec<u8>> {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers/moth");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{}", std::process::id()));
    std::fs::create_dir_all(&to).expect("a folder under target");
    let sources = ["Account.java", "Buffer.java", "Philo.java"].map(|name| papers.join(name));
    let javac = Command::new("javac").args(["-g", "-nowarn", "-d"]).arg(&to).args(sources).output();
    assert!(javac.expect("javac: a JDK is needed for this test").status.success());
    let files = std::fs::read_dir(&to).expect("the folder just made").flatten();
    let mut seeds: Vec<Vec<u8>> = files.map(|file| std::fs::read(file.path()).expect("a class")).collect();
    std::fs::remove_dir_all(&to).expect("the folder just made");
    seeds.sort();
    seeds
}

#[test]
fn mutated_classes_are_checked_without_a_panic() {
    let mut dice = 0x9e37_79b9_7f4a_7c15u64;
    let mut roll = |sides: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % sides as u64) as usize
    };
    let seeds = seeds();
    assert!(seeds.iter().any(|seed| exercise(seed) > 1), "the seeds themselves are looked at");
    let mut reached = 0;
    for round in 0..1_500 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..1 + roll(4) {
            let at = roll(bytes.len());
            match roll(3) {
                0 => bytes[at] ^= 1 << roll(8),
                1 => bytes[at] = roll(256) as u8,
                _ => bytes[at] = bytes[at].wrapping_add(1),
            }
        }
        reached += u64::from(exercise(&bytes) > 0);
    }
    assert!(reached > 200, "{reached}: most were not even read");
}
