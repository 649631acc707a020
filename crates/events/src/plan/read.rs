//! Reads a plan. Any bytes give a plan or an error with its line; memory follows the length of the file.

use super::write::{START, VERSION};
use super::{ClassFacts, ClassHash, FlowFacts, MethodFacts, Plan, PlanError, PlanInput};
use crate::FlowKind;
use crate::error::quote;

impl Plan {
    /// Reads a file.
    pub fn parse(bytes: &[u8]) -> Result<Plan, PlanError> {
        let mut reader = Reader { line: 1, plan: Plan::default() };
        let mut rest = bytes;
        loop {
            let Some(end) = memchr::memchr(b'\n', rest) else {
                return Err(match reader.line {
                    1 => reader.wrong("not a plan of Raddle"),
                    _ => reader.wrong("the plan ends before its check sum"),
                });
            };
            let (line, after) = rest.split_at(end);
            let Ok(line) = std::str::from_utf8(line) else {
                return Err(reader.wrong("not a plan of Raddle: it is no text"));
            };
            if let Some(sum) = line.strip_prefix("end ") {
                let body = bytes.get(..bytes.len() - rest.len()).unwrap_or_default();
                if Plan::check_sum(body) != sum {
                    return Err(reader.wrong("the check sum is wrong: the plan was changed or damaged"));
                }
                if after.len() > 1 {
                    return Err(reader.wrong("there is something after the check sum"));
                }
                return Ok(reader.plan);
            }
            reader.line(line)?;
            rest = after.get(1..).unwrap_or_default();
            reader.line += 1;
        }
    }
}

struct Reader {
    line: usize,
    plan: Plan,
}

impl Reader {
    fn wrong(&self, reason: impl Into<String>) -> PlanError {
        PlanError { line: self.line, reason: reason.into() }
    }

    fn line(&mut self, line: &str) -> Result<(), PlanError> {
        if self.line == 1 {
            return match line.strip_prefix(START) {
                Some(VERSION) => Ok(()),
                Some(other) => Err(self.wrong(format!(
                    "a plan of version {}, and this Raddle reads version {VERSION}",
                    quote(other).trim_matches('`')
                ))),
                None => Err(self.wrong("not a plan of Raddle")),
            };
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "java" => self.plan.java = self.number(rest)?,
            "input" => {
                let (hash, path) = self.hash(rest)?;
                self.plan.inputs.push(PlanInput { hash, path });
            }
            "root" => self.plan.roots.push(rest.to_owned()),
            "blind" => self.plan.blind.push(rest.to_owned()),
            "class" => {
                let (hash, name) = self.hash(rest)?;
                self.plan.classes.push((hash, ClassFacts { name, methods: Vec::new() }));
            }
            "spare" | "unused" => {
                let (index, name, offsets) = self.method(rest)?;
                let method = self.facts(index, name, true)?;
                method.unused = word == "unused";
                method.spared = offsets;
            }
            "told" => {
                let (index, name, offsets) = self.method(rest)?;
                self.facts(index, name, false)?.told = offsets;
            }
            "flow" => {
                let mut words = rest.splitn(4, ' ');
                let (index, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let (index, name) = (self.number(index)?, name.to_owned());
                let word = words.next().unwrap_or_default();
                let Some(kind) = FlowKind::named(word) else {
                    return Err(self.wrong(format!("{} is no kind of flow", quote(word))));
                };
                let (read, uses) = match words.next().unwrap_or_default().split_once(' ') {
                    Some((read, uses)) => (self.number(read)?, self.offsets(uses.split(' '))?),
                    None => {
                        return Err(self.wrong("a flow that is used nowhere: there is no number of a use"));
                    }
                };
                self.facts(index, name, false)?.flows.push(FlowFacts { kind, read, uses });
            }
            _ => return Err(self.wrong(format!("{} says nothing to this Raddle", quote(word)))),
        }
        Ok(())
    }

    fn number(&self, text: &str) -> Result<u16, PlanError> {
        text.parse().map_err(|_| self.wrong(format!("{} is no number below 65536", quote(text))))
    }

    fn hash(&self, text: &str) -> Result<(ClassHash, String), PlanError> {
        let (hex, name) = text.split_once(' ').unwrap_or((text, ""));
        let bad = || self.wrong(format!("{} is no hash", quote(hex)));
        let mut hash = [0; 32];
        if hex.len() != 2 * hash.len() || !hex.is_ascii() {
            return Err(bad());
        }
        for (byte, at) in hash.iter_mut().zip((0..).step_by(2)) {
            let two = hex.get(at..at + 2).filter(|two| !two.starts_with('+')).ok_or_else(bad)?;
            *byte = u8::from_str_radix(two, 16).map_err(|_| bad())?;
        }
        Ok((ClassHash(hash), name.to_owned()))
    }

    fn method(&self, text: &str) -> Result<(u16, String, Vec<u16>), PlanError> {
        let mut words = text.split(' ');
        let index = self.number(words.next().unwrap_or_default())?;
        let name = words.next().unwrap_or_default().to_owned();
        Ok((index, name, self.offsets(words)?))
    }

    fn offsets<'t>(&self, words: impl Iterator<Item = &'t str>) -> Result<Vec<u16>, PlanError> {
        let mut offsets: Vec<u16> = Vec::new();
        for word in words {
            let offset = self.number(word)?;
            if offsets.last().is_some_and(|last| *last >= offset) {
                return Err(self.wrong("the offsets of a method have to ascend"));
            }
            offsets.push(offset);
        }
        Ok(offsets)
    }

    /// What is said of a method of the last class, which has to be a new one or the last one.
    fn facts(&mut self, index: u16, name: String, new: bool) -> Result<&mut MethodFacts, PlanError> {
        let line = self.line;
        let wrong = |reason: &str| PlanError { line, reason: reason.to_owned() };
        let Some((_, class)) = self.plan.classes.last_mut() else {
            return Err(wrong("a method before any class"));
        };
        let last = class.methods.last().map(|last| last.index);
        if last.is_some_and(|last| last > index || last == index && new) {
            return Err(wrong("the methods of a class have to ascend"));
        }
        Ok(class.method_mut(index, &name))
    }
}
