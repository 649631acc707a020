//! Chores of the house: benchmarks, generated traces, the papers' tables, and the check of the model tables against JDKs.

mod bench;
mod bench_check;
mod bench_report;
mod bench_run;
mod classes;
mod generate;
mod loads;
mod models;
mod papers;

use std::process::ExitCode;

const USAGE: &str = "\
Examples:
  cargo xtask bench trace                        both standard traces, binary and STD, every detector
  cargo xtask bench trace --instructions         and instructions per event (callgrind; some minutes)
  cargo xtask bench trace --std mixed.std        an STD trace of your own
  cargo xtask bench scale                        1 M to 300 M events; 5 000 threads; 5 M variables
  cargo xtask bench run [flows | PROGRAM …]      what being watched costs the programs of ../shared/bench
  cargo xtask loads [NAME …]                     real libraries under load, bare and watched (scripts/prepare-java loads)
  cargo xtask papers                             the papers' tables beside ours; writes docs/papers.md
  cargo xtask bench check [PART …]               reading code: papers, libraries, series, jdk, cache, lower
  cargo xtask bench report                       ten thousand findings in every format
  cargo xtask models [--fetch] [JDK-FOLDER …]    resolves the model tables against JDK 17, 21 and 25
  cargo xtask bench classes [FILE]               reading, writing and weaving the classes of java.base (needs Java)
  cargo xtask generate OUT EVENTS THREADS LOCKS VARIABLES SEED mixed|atomic|racy
                                                 a trace; the form follows the ending: .trace, .std";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["bench", "trace", rest @ ..] => bench::trace(rest),
        ["bench", "scale"] => bench::scale(),
        ["bench", "run", rest @ ..] => bench_run::bench(rest),
        ["bench", "report", rest @ ..] => bench_report::bench(rest),
        ["bench", "check", rest @ ..] => bench_check::bench(rest),
        ["bench", "classes", rest @ ..] => classes::bench(rest),
        ["generate", out, rest @ ..] => {
            generate::Shape::parse(rest).and_then(|shape| generate::write(out, shape))
        }
        ["loads", rest @ ..] => loads::run(rest),
        ["models", rest @ ..] => models::run(rest),
        ["papers", rest @ ..] => papers::run(rest),
        _ => Err(format!("what to do?\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::from(2)
        }
    }
}
