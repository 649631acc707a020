//! A plan as text. Names in it have no line ends, whatever the class file says.

use std::fmt::Write as _;

use super::{MethodFacts, Plan};

/// The first line of every plan.
pub const START: &str = "raddle plan ";
/// The version that is written and read.
pub const VERSION: &str = "2";

impl Plan {
    /// The file.
    pub fn to_text(&self) -> String {
        let mut text = format!("{START}{VERSION}\n");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "java {}", self.java);
        for input in &self.inputs {
            let _ = writeln!(text, "input {} {}", input.hash, on_one_line(&input.path));
        }
        for root in &self.roots {
            let _ = writeln!(text, "root {}", on_one_line(root));
        }
        for blind in &self.blind {
            let _ = writeln!(text, "blind {}", on_one_line(blind));
        }
        for (hash, class) in &self.classes {
            let _ = writeln!(text, "class {hash} {}", on_one_line(&class.name));
            class.methods.iter().for_each(|method| method.write(&mut text));
        }
        let sum = Plan::check_sum(text.as_bytes());
        let _ = writeln!(text, "end {sum}");
        text
    }

    /// The check sum of all that stands before it.
    pub fn check_sum(before: &[u8]) -> String {
        format!("{:08x}", crc32fast::hash(before))
    }
}

impl MethodFacts {
    fn write(&self, text: &mut String) {
        let name = on_one_line(&self.name).replace(' ', "?");
        let mut line = |word: &str, more: Option<&str>, offsets: &[u16]| {
            let _ = write!(text, "{word} {} {name}", self.index);
            more.into_iter().for_each(|more| text.push_str(more));
            for offset in offsets {
                let _ = write!(text, " {offset}");
            }
            text.push('\n');
        };
        if self.unused {
            line("unused", None, &self.spared);
        } else if !self.spared.is_empty() || self.told.is_empty() && self.flows.is_empty() {
            line("spare", None, &self.spared);
        }
        if !self.told.is_empty() {
            line("told", None, &self.told);
        }
        for flow in &self.flows {
            line("flow", Some(&format!(" {} {}", flow.kind.word(), flow.read)), &flow.uses);
        }
    }
}

fn on_one_line(name: &str) -> String {
    name.replace(['\n', '\r'], "?")
}
