//! Suppressions that stand in the program: `@SuppressRaddle` and `@RacyOnPurpose` on a class, method or field.
//!
//! They are matched by their simple names, so that a project can use ours or its own, and read from compiled classes:
//! folders and jars. Only classes that findings speak of are looked at. What is asked for is a list of suppressions, so
//! that somebody else who knows the annotated members (the agent, or an analysis of the code) can give one instead.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::PathBuf;

use classfile::{Annotation, Attribute, Class, ElementValue, text};
use findings::{Rule, Suppression};
use zip::ZipArchive;

use crate::report_judge::leads_down;

/// A class file that is larger is none.
const LARGEST: u64 = 64 << 20;

/// Where classes are looked for.
pub struct Classes {
    places: Vec<Place>,
}

enum Place {
    Folder(PathBuf),
    Jar(Box<ZipArchive<BufReader<File>>>),
}

impl Classes {
    /// Folders and jars; what cannot be read holds no classes.
    pub fn open(paths: &[PathBuf]) -> Self {
        let open = |path: &PathBuf| match path.is_dir() {
            true => Some(Place::Folder(path.clone())),
            false => {
                let jar = ZipArchive::new(BufReader::new(File::open(path).ok()?)).ok()?;
                Some(Place::Jar(Box::new(jar)))
            }
        };
        Self { places: paths.iter().filter_map(open).collect() }
    }

    /// What the annotations of a class and of its members suppress.
    pub fn suppressions(&mut self, class: &str) -> Vec<Suppression> {
        let file = format!("{}.class", class.replace('.', "/"));
        if !leads_down(&file) {
            return Vec::new();
        }
        let bytes = self.places.iter_mut().find_map(|place| place.read(&file));
        let Some(bytes) = bytes else { return Vec::new() };
        match Class::parse(&bytes) {
            Ok(parsed) => of_class(&parsed, class),
            Err(_) => Vec::new(),
        }
    }
}

impl Place {
    fn read(&mut self, file: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Place::Folder(folder) => {
                File::open(folder.join(file)).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
            }
            Place::Jar(jar) => {
                jar.by_name(file).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
            }
        }
        Some(bytes)
    }
}

fn of_class(class: &Class<'_>, name: &str) -> Vec<Suppression> {
    let mut found = Vec::new();
    let utf8 =
        |index: u16| class.pool.utf8(index).map(|raw| text::to_str(raw).into_owned()).unwrap_or_default();
    for one in of_attributes(class, &class.attributes, name) {
        found.push(Suppression { classes: vec![name.to_owned()], ..one });
    }
    for field in &class.fields {
        let member = format!("{name}.{}", utf8(field.name));
        for one in of_attributes(class, &field.attributes, &member) {
            found.push(Suppression { fields: vec![member.clone()], ..one });
        }
    }
    for method in &class.methods {
        let member = format!("{name}.{}", utf8(method.name));
        for one in of_attributes(class, &method.attributes, &member) {
            found.push(Suppression { methods: vec![member.clone()], ..one });
        }
    }
    found
}

/// Suppressions that do not name a member yet.
fn of_attributes(class: &Class<'_>, attributes: &[Attribute<'_>], member: &str) -> Vec<Suppression> {
    let annotations = class.annotations(attributes).unwrap_or_default();
    annotations.iter().filter_map(|annotation| of_annotation(class, annotation, member)).collect()
}

fn of_annotation(class: &Class<'_>, annotation: &Annotation, member: &str) -> Option<Suppression> {
    let utf8 = |index: u16| class.pool.utf8(index).map(text::to_str).unwrap_or_default();
    let descriptor = utf8(annotation.descriptor);
    let name = descriptor.strip_prefix('L').unwrap_or(&descriptor).trim_end_matches(';');
    let simple = name.rsplit(['/', '$']).next().unwrap_or(name);
    let mut rules = match simple {
        "SuppressRaddle" => Vec::new(),
        "RacyOnPurpose" => vec![Rule::DataRace],
        _ => return None,
    };
    let mut reason = String::new();
    for (key, value) in &annotation.values {
        let texts: Vec<String> = texts(value).into_iter().map(|index| utf8(index).into_owned()).collect();
        match utf8(*key).as_ref() {
            "reason" => reason = texts.join(" "),
            // An unknown rule suppresses nothing, rather than everything.
            "value" | "rules" if simple == "SuppressRaddle" && !texts.is_empty() => {
                rules = texts.iter().filter_map(|text| Rule::from_name(text)).collect();
                if rules.is_empty() {
                    return None;
                }
            }
            _ => {}
        }
    }
    let by = format!("@{simple} on {member}");
    if reason.trim().is_empty() {
        reason = "the program says so, without a reason".to_owned();
    }
    Some(Suppression { rules, reason, by, in_source: true, ..Suppression::default() })
}

/// The string constants in a value.
fn texts(value: &ElementValue) -> Vec<u16> {
    match value {
        ElementValue::Constant(b's', index) => vec![*index],
        ElementValue::Array(values) => values.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
