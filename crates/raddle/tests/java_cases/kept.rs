//! Judges by what runs have shown what the weaver leaves out by itself, without a plan: an access to something that its
//! method makes and keeps must never have touched anything that two threads accessed. Which accesses these are is found by
//! weaving each class twice, with them and without; what depends on another class's constructor is decided when it is linked
//! and is not among them.

use std::collections::BTreeMap;
use std::path::Path;

use classfile::text;
use events::models::Models;
use instrument::{Blocks, Gap, Kind, Options, Scope, Site as Woven, Sites, World, weave};

use crate::plans::{Site, classes_of, shared};

/// Counts the plain accesses that have a probe.
#[derive(Default)]
struct Told {
    names: Vec<String>,
    accesses: BTreeMap<Site, usize>,
}

impl Told {
    fn number(&mut self, name: String) -> u32 {
        self.names.push(name);
        self.names.len() as u32
    }
}

impl Sites for Told {
    fn class(&mut self, name: &[u8], _: Option<&[u8]>) -> u32 {
        self.number(text::to_str(name).replace('/', "."))
    }

    fn method(&mut self, class: u32, name: &[u8], descriptor: &[u8]) -> u32 {
        let class = &self.names[class as usize - 1];
        self.number(format!("{class}.{}{}", text::to_str(name), text::to_str(descriptor)))
    }

    fn field(&mut self, _: &[u8], name: &[u8], _: &[u8], _: Option<u16>) -> u32 {
        self.number(text::to_str(name).into_owned())
    }

    fn site(&mut self, site: Woven<'_>) -> Option<u32> {
        // What models say of calls is not left out.
        if !site.effects.is_empty() {
            return Some(1);
        }
        let write = match site.kind {
            Kind::Read | Kind::ArrayRead => false,
            Kind::Write | Kind::ArrayWrite => true,
            _ => return Some(1),
        };
        // Elements have no field.
        let field = (site.operand as usize).checked_sub(1).map(|number| self.names[number].clone());
        let method = self.names[site.method as usize - 1].clone();
        *self.accesses.entry((method, u32::from(site.line), write, field)).or_default() += 1;
        Some(1)
    }

    fn gap(&mut self, _: Gap) {}
}

/// All classes are woven.
struct Everywhere;

impl World for Everywhere {
    fn is_woven(&self, _: &[u8]) -> bool {
        true
    }
}

fn told(bytes: &[u8], kept: bool) -> BTreeMap<Site, usize> {
    let mut models = Models::builtin().expect("they parse");
    models.keep_jdk(17);
    let options = Options { scope: Scope::Whole, blocks: Blocks::Synch, finals: true, kept };
    let mut sites = Told::default();
    weave(bytes, &Everywhere, &models, &mut sites, &options).expect("it can be woven");
    sites.accesses
}

/// How many accesses of a program the weaver leaves out, and which of them touched what two threads accessed in a run. Where
/// a line has several of one kind, a trace cannot tell them apart; then all of them have to be left out.
pub fn judge(name: &str, folder: &Path, trace: &Path) -> (usize, Vec<Site>) {
    let shared = shared(trace);
    let (mut count, mut wrong) = (0, Vec::new());
    for file in classes_of(name, folder) {
        let bytes = std::fs::read(&file).expect("the class");
        let without = told(&bytes, false);
        for site in told(&bytes, true).into_keys().filter(|site| !without.contains_key(site)) {
            count += 1;
            wrong.extend(Some(site).filter(|site| shared.contains(site)));
        }
    }
    (count, wrong)
}
