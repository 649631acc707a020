//! `raddle trace cat`: a trace, or a part of it, as readable text.

use std::collections::BTreeSet;

use events::text::Writer;
use events::{Event, ThreadId};

use super::{ending, open};
use crate::cli::CatArgs;
use crate::error::{Failure, Outcome};
use crate::output::to_stdout;

/// Runs it.
pub fn run(args: &CatArgs) -> Result<Outcome, Failure> {
    let mut source = open(&args.file)?;
    let mut left = args.count.unwrap_or(u64::MAX);
    // Events before the next batch, and the threads that are asked for and have been met.
    let mut before = 0u64;
    let mut met = BTreeSet::new();
    // An error of the source must not be taken for one of standard output.
    let mut failure = None;
    to_stdout(|out| {
        let mut writer = Writer::new(out)?;
        let mut batch = Vec::new();
        let mut chosen: Vec<Event> = Vec::new();
        while left > 0 {
            match source.fill(&mut batch) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
            let symbols = source.symbols();
            let wanted = |thread: ThreadId| {
                let name = symbols.str(symbols.threads.get(thread).name);
                args.thread.iter().any(|wanted| wanted == name)
            };
            chosen.clear();
            let skip =
                usize::try_from(args.from.saturating_sub(1).saturating_sub(before)).unwrap_or(usize::MAX);
            for &event in batch.iter().skip(skip) {
                if left > 0 && (args.thread.is_empty() || wanted(event.thread)) {
                    met.insert(event.thread);
                    chosen.push(event);
                    left -= 1;
                }
            }
            before += batch.len() as u64;
            writer.batch(&chosen, symbols)?;
        }
        writer.finish(source.gaps(), source.symbols()).map(|_| ())
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if met.is_empty() && !args.thread.is_empty() {
        let names: Vec<&str> =
            source.symbols().threads.rows().iter().map(|thread| source.symbols().str(thread.name)).collect();
        let shown: Vec<&str> = names.iter().copied().take(10).collect();
        let more = if names.len() > shown.len() { ", …" } else { "" };
        return Err(Failure::with_help(
            format!("{}: no event of thread '{}'", super::name(&args.file), args.thread.join("' or '")),
            format!("the threads are {}{more}", shown.join(", ")),
        ));
    }
    Ok(ending(source.as_ref()))
}
