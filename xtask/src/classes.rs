//! How fast class files are read, written and woven: the classes of java.base, or of a stream written by
//! `crates/classfile/tests/java/Corpus.java`. Times are the fastest of several rounds; nothing is checked here.

#[path = "../../crates/classfile/tests/support/stress.rs"]
#[allow(dead_code)]
mod stress;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use classfile::{Class, Edit, Flow, Snippet, op};
use stress::{Count, Plan};

const ROUNDS: usize = 7;

/// Measures and prints.
pub fn bench(args: &[&str]) -> Result<(), String> {
    let stream = match args {
        [] => dump()?,
        [file] => PathBuf::from(file),
        _ => return Err("one file of classes at most".into()),
    };
    let bytes = std::fs::read(&stream).map_err(|error| format!("{}: {error}", stream.display()))?;
    if args.is_empty() {
        // It was only made for this; what cannot be removed does no harm.
        let _ = stream.parent().map(std::fs::remove_dir_all);
    }
    let classes = split(&bytes).ok_or("not a stream of classes")?;
    let size: usize = classes.iter().map(|class| class.len()).sum();
    println!("{} classes, {:.1} MB", classes.len(), size as f64 / 1e6);
    let measure = |what: &str, work: &dyn Fn(&[u8]) -> classfile::Result<usize>| -> Result<(), String> {
        let mut best = f64::MAX;
        let mut made = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            made = 0;
            for class in &classes {
                made += work(class).map_err(|error| format!("{what}: {error}"))?;
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{what:<44} {:>7.1} MB/s   ({made} made)", size as f64 / 1e6 / best);
        Ok(())
    };
    measure("parse", &|class| Class::parse(class).map(|class| class.methods.len()))?;
    measure("parse and write", &|class| Class::parse(class)?.write().map(|bytes| bytes.len()))?;
    measure("parse and decode every instruction", &decode)?;
    measure("parse and find the types everywhere", &types)?;
    measure("weave a call before every field access", &fields)?;
    measure("stress weave", &|class| {
        let plan = Plan { probe: Some("raddle/Probe"), stretch: false, cover: true };
        let woven = stress::weave(class, plan, &mut Count::default())?;
        Ok(woven.map_or(0, |bytes| bytes.len()))
    })
}

fn dump() -> Result<PathBuf, String> {
    let folder = std::env::temp_dir().join(format!("raddle-classes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let out = folder.join("java.base.classes");
    let status = Command::new("java")
        .arg("crates/classfile/tests/java/Corpus.java")
        .arg("jrt")
        .arg(&out)
        .arg("java.base")
        .status()
        .map_err(|error| format!("java: {error}"))?;
    if status.success() { Ok(out) } else { Err(format!("java: {status}")) }
}

/// The bytes of each class in a stream.
fn split(stream: &[u8]) -> Option<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        let name = u16::from_be_bytes(*rest.first_chunk()?) as usize;
        rest = rest.get(2 + name..)?;
        let length = u32::from_be_bytes(*rest.first_chunk()?) as usize;
        found.push(rest.get(4..4 + length)?);
        rest = rest.get(4 + length..)?;
    }
    Some(found)
}

fn decode(bytes: &[u8]) -> classfile::Result<usize> {
    let class = Class::parse(bytes)?;
    let mut count = 0;
    for method in &class.methods {
        if let Some(code) = class.code(method)? {
            for step in code.instructions() {
                step?;
                count += 1;
            }
        }
    }
    Ok(count)
}

fn types(bytes: &[u8]) -> classfile::Result<usize> {
    let class = Class::parse(bytes)?;
    let mut count = 0;
    for method in &class.methods {
        if let Some(mut flow) = Flow::new(&class, method)? {
            while flow.next()?.is_some() {
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Much like what a probe for field accesses does.
fn fields(bytes: &[u8]) -> classfile::Result<usize> {
    let mut class = Class::parse(bytes)?;
    let mut probe = Snippet::new();
    for method in 0..class.methods.len() {
        let Some(mut edit) = Edit::new(&class, method)? else { continue };
        let mut site = 0;
        for step in edit.code().opcodes() {
            let (pc, opcode) = step?;
            if matches!(opcode, op::GETFIELD | op::PUTFIELD) {
                probe.clear();
                site += 1;
                probe.int(&mut class.pool, site)?;
                probe.invoke_static(&mut class.pool, b"raddle/Probe", b"field", b"(I)V")?;
                edit.before(pc, &probe);
            }
        }
        edit.apply(&mut class)?;
    }
    Ok(class.write()?.len())
}
