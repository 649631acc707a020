//! Tables made to hurt: no text may panic or take much memory, and what is accepted prints back.

use super::super::*;

/// A small generator of pseudo-random numbers (xorshift64*), seeded so that a failure can be made again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % n.max(1) as u64) as usize
    }
}

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    ".",
    "..",
    "...",
    "*",
    "#",
    "\n",
    " ",
    "\t",
    "\r\n",
    "\0",
    "é",
    "\u{2028}",
    "arg",
    "arg255",
    "arg256",
    "jdk ",
    "17..",
    "65535",
    "65536",
    " if true",
    "this",
    "result",
    "outer9",
    "whole of ",
    "each ",
    "last of ",
    "class ",
    "call ",
    "body ",
    "inside ",
    " at ",
    "ignore ",
    " because ",
    "kind ",
    "<init>",
    "nothing",
    "before ",
    "left ",
    "-",
];

fn mutate(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
            1 => {
                let end = (at + random.below(12)).min(chars.len());
                chars.drain(at..end);
            }
            2 => {
                let end = (at + random.below(60)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            _ => chars.truncate(at.max(1)),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn mutated_tables_never_panic_and_print_back_if_they_are_right() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut good, rounds) = (0, 6000);
    for round in 0..rounds {
        let (_, table) = BUILTIN[round % BUILTIN.len()];
        // A few lines from anywhere: most mutations of a whole table would hit the same few constructs.
        let lines: Vec<&str> = table.lines().collect();
        let from = random.below(lines.len());
        let some = lines[from..(from + 8).min(lines.len())].join("\n");
        let text = mutate(&mut random, &format!("package a\nclass b.C\n{some}"));
        let mut models = Models::empty();
        match models.add("t", &text) {
            Ok(()) => {
                good += 1;
                let printed = models.to_text();
                let mut again = Models::empty();
                again
                    .add("printed", &printed)
                    .unwrap_or_else(|errors| panic!("{}\n{printed}\n{text}", errors[0]));
                assert_eq!(again.to_text(), printed, "{text}");
            }
            Err(errors) => {
                for error in errors {
                    assert!(error.line >= 1 && error.column >= 1 && !error.reason.is_empty());
                    assert!(error.reason.chars().count() < 2000, "an error is short: {error}");
                }
            }
        }
    }
    assert!(good > rounds / 20 && good < rounds, "{good} of {rounds} mutations are right still");
}

#[test]
fn lists_that_multiply_are_stopped() {
    let classes = vec!["a.B"; 20_000].join(", ");
    let methods: Vec<String> = (0..20_000).map(|n| format!("m{n}()")).collect();
    let text = format!("class {classes}\n call {}: fork this", methods.join(", "));
    let mut models = Models::empty();
    let errors = models.add("t", &text).expect_err("four hundred million lines");
    assert!(errors[0].reason.contains("the table is too large"), "{}", errors[0]);
}

#[test]
fn the_same_line_again_and_again_is_told_quickly() {
    let text = format!("class a.B\n{}", " call m(): fork this\n".repeat(50_000));
    let mut models = Models::empty();
    let errors = models.add("t", &text).expect_err("said too often");
    assert_eq!(errors.len(), 20);
}
