//! The examples with which each help text begins.

pub const EXAMPLES: &str = "\
Examples:
  raddle run -- java -jar app.jar               watch a program and report its concurrency errors
  raddle run -- mvn test                        every JVM that the command starts
  raddle check app.jar                          find concurrency errors in code, without running it
  raddle analyze app.trace                      find concurrency errors in a recorded run
  raddle analyze --output json=out.json *.std   several traces, one report, also as JSON
  raddle trace stat app.trace                   what a trace holds
  raddle trace cat app.trace | less             read it
  raddle rules                                  what can be found
  raddle explain data-race                      what a finding means and how to fix it
  raddle init                                   write a raddle.toml with every option explained";

pub const ANALYZE: &str = "\
Examples:
  raddle analyze app.trace
  raddle analyze --detectors fasttrack,lock-graph app.trace
  raddle analyze --rules data-race --fail-on high app.trace
  raddle analyze --include 'com.acme.*' --exclude '*Test' app.trace
  raddle analyze --format json app.trace | jq .findings
  raddle analyze --output json=out.json --output sarif=out.sarif run1.trace run2.trace
  raddle analyze --baseline raddle.baseline --new-only app.trace
  zcat app.std.gz | raddle analyze -

Exit code: 0 no findings, 1 findings, 2 could not run.";

pub const CHECK: &str = "\
Examples:
  raddle check app.jar
  raddle check target/classes lib/*.jar
  raddle check --library --include 'com.acme.*' acme-core.jar
  raddle check --rules lock-order,stale-value --fail-on medium app.jar
  raddle check --jdk /opt/jdk-21 --output sarif=out.sarif app.jar
  raddle check --write-plan app.plan app.jar lib/*.jar

Nothing is run. Threads are looked for where the code starts them; without any, the inputs are a library.
Exit code: 0 no findings, 1 findings, 2 could not run.";

pub const RUN: &str = "\
Examples:
  raddle run -- java -jar app.jar
  raddle run -- mvn test
  raddle run --check app.jar -- java -jar app.jar
  raddle run --include 'com.acme.*' -- java -cp classes com.acme.Main
  raddle run --output json=out.json --record app.trace -- ./start-server.sh
  raddle run --models locks.txt --strict -- gradle test --no-daemon
  raddle run --plan app.plan -- java -jar app.jar

The program keeps its input, its output and its signals; the report goes to standard error when it has ended.
Exit code: the program's own if it failed, else 0 no findings, 1 findings, 2 nothing could be watched.";

pub const TRACE: &str = "\
Examples:
  raddle trace stat app.trace
  raddle trace cat app.trace | less
  raddle trace convert app.std app.trace";

pub const STAT: &str = "\
Examples:
  raddle trace stat app.trace
  zcat app.std.gz | raddle trace stat -";

pub const CAT: &str = "\
Examples:
  raddle trace cat app.trace
  raddle trace cat --from 1000000 --count 50 app.trace
  raddle trace cat --thread worker-1 app.trace";

pub const CONVERT: &str = "\
Examples:
  raddle trace convert app.std app.trace        STD (RAPID) to binary
  raddle trace convert app.trace app.txt        binary to readable text
  raddle trace convert --lossy app.trace app.std
  raddle trace convert --to text app.trace -";

pub const FOLLOW: &str = "\
Examples:
  raddle trace follow /tmp/raddle-1234-567/1234-567 app.trace";

pub const RULES: &str = "\
Examples:
  raddle rules";

pub const EXPLAIN: &str = "\
Examples:
  raddle explain data-race                      a rule: what is wrong
  raddle explain fasttrack                      a detector: how it is found";

pub const REPORT: &str = "\
Examples:
  raddle report out.json                        the report for people
  raddle report --format sarif out.json > out.sarif
  raddle report --output markdown=comment.md --baseline raddle.baseline out.json
  raddle report unit.json load.json             several runs as one

Exit code: 0 no findings, 1 findings, 2 could not run.";

pub const BASELINE: &str = "\
Examples:
  raddle baseline out.json                      write raddle.baseline: what is there already
  raddle baseline --to ci/known.txt unit.json load.json
  raddle run --baseline raddle.baseline -- mvn test";

pub const INIT: &str = "\
Examples:
  raddle init                                   write raddle.toml into this folder";

pub const SCHEMA: &str = "\
Examples:
  raddle schema > report.schema.json            of --format json
  raddle schema jsonl                           of a line of --format jsonl";

pub const COMPLETIONS: &str = "\
Examples:
  raddle completions bash > ~/.local/share/bash-completion/completions/raddle
  raddle completions zsh > ~/.zfunc/_raddle
  raddle completions fish > ~/.config/fish/completions/raddle.fish";

pub const MAN: &str = "\
Examples:
  raddle man | man -l -                         read the page of the command
  raddle man --to /usr/local/share/man/man1     write a page for each subcommand";
