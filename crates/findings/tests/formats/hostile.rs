//! Names come from programs and files that nobody vouches for. Whatever they hold, every format stays what it is.

use findings::{
    Act, Confidence, Format, Frame, Gap, JSON_LINES_SCHEMA, JSON_SCHEMA, Mover, Narrowing, Origin, Report,
    Role, Rule, Stale, Step, Style, Suppressed, Taken, View, Witness, read_baseline, read_json,
};

use crate::schemas::{ours, sarif, valid};
use crate::text;

/// Stands in every name, so that a test can tell where names came out.
const MARK: &str = "EVIL";

const PARTS: [&str; 30] = [
    "\u{1b}[2J",
    "\u{9b}31m",
    "\u{1b}]8;;http://evil\u{7}",
    "\0",
    "\n",
    "\r\n",
    "\n\n",
    "\t",
    "<script>alert(1)</script>",
    "</pre></details>",
    "]]>",
    "<!--",
    "&lt;&#0;",
    "\"",
    "'",
    "\\",
    "::error file=x,line=1::y",
    "##[add-mask]",
    "##vso[task.setvariable]",
    "%0A::stop-commands::",
    "](http://evil)",
    "![x](http://evil)",
    "@everyone",
    "```",
    "`",
    "|",
    "\u{202e}\u{200b}\u{feff}",
    // What a lone surrogate of a class file has become; characters that are none; one beyond the first plane.
    "\u{fffd}\u{fffe}\u{ffff}\u{10ffff}",
    "../../etc/passwd",
    "{}, $(rm) `id` %s",
];

/// A small generator: the same names every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        for _ in 0..=self.below(4) {
            name.push_str(PARTS[self.below(PARTS.len())]);
            if self.below(2) == 0 {
                name.push_str(MARK);
            }
        }
        match self.below(60) {
            0 => name.repeat(100_000 / name.len() + 1),
            1 => String::new(),
            _ => name,
        }
    }

    fn names(&mut self) -> Vec<String> {
        (0..self.below(3)).map(|_| self.name()).collect()
    }

    fn frame(&mut self) -> Frame {
        let lines = [0, 1, 42, i32::MAX, i32::MIN];
        let (class, method, file) = (self.name(), self.name(), self.name());
        Frame { class, method, file, line: lines[self.below(lines.len())] }
    }

    fn role(&mut self) -> Role {
        const ROLES: [Role; 12] = [
            Role::Read,
            Role::Write,
            Role::Acquire,
            Role::Release,
            Role::BlockEntered,
            Role::Commit,
            Role::Violation,
            Role::BlockLeft,
            Role::Interference,
            Role::Holds,
            Role::Wants,
            Role::Use,
        ];
        ROLES[self.below(ROLES.len())]
    }

    /// Often one of two, so that the steps of one thread meet.
    fn thread(&mut self) -> String {
        match self.below(4) {
            0 => format!("{MARK}-1"),
            1 => format!("{MARK}-2"),
            _ => self.name(),
        }
    }

    fn step(&mut self) -> Step {
        const ACTS: [Option<Act>; 5] =
            [None, Some(Act::Acquire), Some(Act::Release), Some(Act::Use), Some(Act::Start)];
        const MOVERS: [Option<Mover>; 3] = [None, Some(Mover::Right), Some(Mover::Neither)];
        Step {
            thread: self.thread(),
            role: self.role(),
            target: self.name(),
            place: self.frame(),
            locks: self.names(),
            read_locks: self.names(),
            taken: (0..self.below(3))
                .map(|_| Taken { lock: self.name(), at: self.frame(), example: self.below(2) == 0 })
                .collect(),
            act: ACTS[self.below(ACTS.len())],
            mover: MOVERS[self.below(MOVERS.len())],
            stack: (0..self.below(3)).map(|_| self.frame()).collect(),
            stack_is_example: self.below(2) == 0,
            note: self.name(),
        }
    }

    fn origin(&mut self) -> Origin {
        let (thread, by) = (self.thread(), self.thread());
        Origin { thread, by, at: self.frame(), stack: (0..self.below(3)).map(|_| self.frame()).collect() }
    }

    fn narrowing(&mut self) -> Narrowing {
        let (thread, role, at) = (self.thread(), self.role(), self.frame());
        Narrowing { thread, role, at, locks: self.names(), left: self.names() }
    }

    fn view(&mut self) -> View {
        let (thread, role, at) = (self.thread(), self.role(), self.frame());
        View { thread, role, lock: self.name(), at, fields: self.names() }
    }

    fn report(&mut self) -> Report {
        let mut report = Report::new();
        for _ in 0..=self.below(4) {
            let witness = Witness {
                detector: self.name(),
                steps: (0..self.below(4)).map(|_| self.step()).collect(),
                notes: self.names(),
                tests: self.names(),
                advice: self.name(),
                threads: (0..self.below(3)).map(|_| self.origin()).collect(),
                narrowing: (0..self.below(3)).map(|_| self.narrowing()).collect(),
                views: (0..self.below(4)).map(|_| self.view()).collect(),
                event: 0,
            };
            let rule = Rule::ALL[self.below(Rule::ALL.len())];
            let confidence = Confidence::ALL[self.below(3)];
            let (subject, message) = (self.name(), self.name());
            report.add(rule, &subject, confidence, &message, witness);
        }
        let mut sources = Vec::new();
        for finding in report.findings_mut() {
            finding.owners = self.names();
            if self.below(4) == 0 {
                let (reason, by) = (format!("{MARK}{}", self.name()), self.name());
                finding.suppressed = Some(Suppressed { reason, by, in_source: self.below(2) == 0 });
            }
            let steps = finding.witnesses.iter().flat_map(|witness| &witness.steps);
            sources.extend(steps.filter_map(|step| step.place.source()).next());
        }
        for source in sources {
            let text: String = (0..50).map(|_| format!("{}\n", self.name().replace('\n', " "))).collect();
            report.excerpts.add(&source, &text, &[1, 42].into());
            report.sources.insert(source, self.name());
        }
        report.add_gap(Gap { what: self.name(), why: self.name(), count: 3 });
        report.stale.push(Stale { what: self.name(), by: self.name() });
        report
    }
}

/// Characters that a terminal acts on or that hide something.
fn harms(c: char) -> bool {
    c != '\n' && c.is_control() || matches!(c, '\u{202e}' | '\u{200b}' | '\u{feff}')
}

/// What the runner of a build service would take for a command.
fn commands(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso["))
        .collect()
}

/// Markdown without its code spans and without what stands in `pre`: where a name could do harm.
fn outside_code(markdown: &str) -> String {
    let mut out = String::new();
    let mut rest = markdown;
    while let Some(at) = rest.find(['`', '<']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with('`') {
            let fence = rest.len() - rest.trim_start_matches('`').len();
            let is_end = |(i, _): &(usize, &str)| {
                let after = &rest[*i..];
                after.len() - after.trim_start_matches('`').len() == fence && !rest[..*i].ends_with('`')
            };
            let end = rest[fence..].match_indices('`').map(|(i, s)| (i + fence, s)).find(is_end);
            end.expect("a code span ends").0 + fence
        } else if let Some(inside) = rest.strip_prefix("<pre>") {
            "<pre>".len() + inside.find("</pre>").expect("an end") + "</pre>".len()
        } else {
            out.push('<');
            1
        };
        rest = &rest[end..];
    }
    out + rest
}

#[test]
fn no_name_breaks_any_format() {
    let (json, lines, sarif) = (ours(JSON_SCHEMA), ours(JSON_LINES_SCHEMA), sarif());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut marked = 0;
    for _ in 0..60 {
        let report = random.report();
        for width in [1, 40, 60, 120, 1000] {
            let style = Style { width, ..Style::default() };
            let mut out = Vec::new();
            Format::Text.renderer(style).render(&report, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(!out.contains(harms) && commands(&out).is_empty(), "{out}");
            let long = out.lines().map(str::len).max();
            assert!(long < Some(6_000), "no name floods the terminal: {long:?}");
        }
        for format in Format::ALL.into_iter().filter(|format| !format.is_binary()) {
            let out = text(format, &report);
            marked += out.matches(MARK).count();
            let harm: Vec<char> = out.chars().filter(|c| harms(*c)).collect();
            assert!(harm.is_empty(), "{}: {harm:?}", format.name());
            if format != Format::Github {
                assert_eq!(commands(&out), [""; 0], "{}", format.name());
            }
        }
        let written = text(Format::Json, &report);
        let value = serde_json::from_str(&written).unwrap();
        valid(&json, &value);
        let back = read_json(&written).unwrap();
        assert_eq!(text(Format::Json, &back), written);
        for line in text(Format::JsonLines, &report).lines() {
            valid(&lines, &serde_json::from_str(line).unwrap());
        }
        valid(&sarif, &serde_json::from_str(&text(Format::Sarif, &report)).unwrap());
        let xml = text(Format::Junit, &report);
        let document = roxmltree::Document::parse(&xml).unwrap();
        let cases = document.descendants().filter(|node| node.has_tag_name("testcase")).count();
        assert_eq!(cases, report.findings().count());
        let annotations = text(Format::Github, &report);
        for line in annotations.lines() {
            let starts = ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start));
            assert!(starts, "{line}");
            assert_eq!(commands(&line[2..]), [""; 0]);
        }
        let markdown = text(Format::Markdown, &report);
        assert!(markdown.len() <= 65_536);
        let outside = outside_code(&markdown);
        assert!(!outside.contains(MARK) && !outside.contains("<script"), "{outside}");
        let html = text(Format::Html, &report);
        let tags = ["<script", "</script", "<style", "</style", "<noscript", "</noscript", "<img", "<!--"];
        assert_eq!(tags.map(|tag| html.matches(tag).count()), [2, 2, 1, 1, 1, 1, 0, 0]);
        let open = report.findings().filter(|finding| finding.suppressed.is_none()).count();
        assert_eq!(read_baseline(&text(Format::Baseline, &report)).unwrap().len(), open);
        crate::rendered(Format::Perfetto, &report);
    }
    assert!(marked > 5_000, "the names came out: {marked}");
}

#[test]
fn a_damaged_report_is_refused_or_rendered_and_never_a_panic() {
    let written = text(Format::Json, &crate::corpus());
    let mut random = Random(7);
    let mut read = 0;
    for _ in 0..300 {
        let mut bytes = written.clone().into_bytes();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = b"0\"{}[],:-e\\ x"[random.below(13)],
                1 => drop(bytes.drain(at..(at + random.below(200)).min(bytes.len()))),
                2 => drop(bytes.splice(at..at, b"-99999999999999999999".iter().copied())),
                _ => bytes[at] = bytes[at].wrapping_add(1) & 0x7f,
            }
        }
        let Ok(report) = read_json(&String::from_utf8_lossy(&bytes)) else { continue };
        read += 1;
        for format in Format::ALL {
            crate::rendered(format, &report);
        }
    }
    assert!(read > 10, "some are still reports: {read}");
}

#[test]
fn any_text_is_a_baseline_and_a_list_of_owners_or_an_error() {
    let mut random = Random(11);
    for _ in 0..2000 {
        let name = random.name();
        let _ = read_baseline(&format!("# Raddle baseline 1\n{name}"));
        let _ = findings::Owners::parse(&format!("{name} @me\n[{name}\n^[{name}] @you")).of(&random.name());
        let _ = findings::matches(&name, &random.name());
    }
}
