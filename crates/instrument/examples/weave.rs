//! Weaves all class files below a folder and tells how fast: `weave FOLDER [TIMES]`; with 0 for TIMES it writes them back
//! woven. For measurements and for looking at woven classes with `javap`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use events::models::Models;
use instrument::{Blocks, Gap, Options, Scope, Site, Sites, World, weave};

#[derive(Default)]
struct Counted(u32);

impl Sites for Counted {
    fn class(&mut self, _: &[u8], _: Option<&[u8]>) -> u32 {
        1
    }

    fn method(&mut self, _: u32, _: &[u8], _: &[u8]) -> u32 {
        1
    }

    fn field(&mut self, _: &[u8], _: &[u8], _: &[u8], _: Option<u16>) -> u32 {
        1
    }

    fn site(&mut self, _: Site<'_>) -> Option<u32> {
        self.0 += 1;
        Some(self.0)
    }

    fn gap(&mut self, gap: Gap) {
        println!("{}: {}", gap.method, gap.why);
    }
}

struct Nowhere;

impl World for Nowhere {
    fn is_woven(&self, _: &[u8]) -> bool {
        false
    }
}

fn read(below: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(below)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, into)?;
        } else if path.extension().is_some_and(|ending| ending == "class") {
            let bytes = std::fs::read(&path)?;
            into.push((path, bytes));
        }
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().unwrap_or_else(|| ".".into());
    let times: u32 = args.next().and_then(|times| times.parse().ok()).unwrap_or(3);
    let mut classes = Vec::new();
    read(Path::new(&folder), &mut classes)?;
    let mut models = Models::builtin().map_err(|errors| std::io::Error::other(format!("{errors:?}")))?;
    models.keep_jdk(17);
    let size: usize = classes.iter().map(|(_, bytes)| bytes.len()).sum();
    let options = Options { scope: Scope::Whole, blocks: Blocks::Synch, finals: false, kept: false };
    for _ in 0..times.max(1) {
        let (mut time, mut sites, mut woven, mut after) = (Duration::ZERO, Counted::default(), 0, 0);
        for (path, class) in &classes {
            let start = Instant::now();
            let result = weave(class, &Nowhere, &models, &mut sites, &options);
            time += start.elapsed();
            match result {
                Ok(Some(bytes)) => {
                    woven += 1;
                    after += bytes.len();
                    if times == 0 {
                        std::fs::write(path, bytes)?;
                    }
                }
                Ok(None) => after += class.len(),
                Err(failure) => println!("left: {failure}"),
            }
        }
        let speed = size as f64 / 1e6 / time.as_secs_f64();
        let growth = after as f64 / size as f64;
        println!(
            "{woven} of {} classes, {size} bytes, {growth:.2} times as many after, {} sites, {speed:.1} MB/s",
            classes.len(),
            sites.0
        );
    }
    Ok(())
}
