//! Reads a plan. Any bytes give a plan or an error with its line; memory follows the length of the file.

use super::write::{START, VERSION};
use super::{ClassFacts, ClassHash, MethodFacts, Plan, PlanError, PlanInput};
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
                let method = self.method(rest, word == "unused")?;
                let Some((_, class)) = self.plan.classes.last_mut() else {
                    return Err(self.wrong("a method before any class"));
                };
                if class.methods.last().is_some_and(|last| last.index >= method.index) {
                    return Err(self.wrong("the methods of a class have to ascend"));
                }
                class.methods.push(method);
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

    fn method(&self, text: &str, unused: bool) -> Result<MethodFacts, PlanError> {
        let mut words = text.split(' ');
        let index = self.number(words.next().unwrap_or_default())?;
        let name = words.next().unwrap_or_default().to_owned();
        let mut spared: Vec<u16> = Vec::new();
        for word in words {
            let offset = self.number(word)?;
            if spared.last().is_some_and(|last| *last >= offset) {
                return Err(self.wrong("the offsets of a method have to ascend"));
            }
            spared.push(offset);
        }
        Ok(MethodFacts { index, name, unused, spared })
    }
}
