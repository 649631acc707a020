//! What names in code refer to (JVMS 5.4.3) and which method a call runs (JVMS 5.4.6). Access is not checked: code that may
//! not call a method does not get that far.

use classfile::flags;
use rustc_hash::FxHashMap;

use super::{ClassId, FieldId, FieldInfo, MethodId, NONE, Program, Selector};
use crate::ir::Member;
use crate::parallel::parallel;

impl Program {
    /// Name and descriptor, if any class declares such a method.
    pub fn selector(&self, name: &str, descriptor: &str) -> Option<Selector> {
        self.selectors.get(&(Box::from(name), Box::from(descriptor))).copied()
    }

    /// The method that this very class declares.
    pub fn declared(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        let declared = &self.class(class).declared;
        let at = declared.binary_search_by_key(&selector, |(selector, _)| *selector).ok()?;
        declared.get(at).map(|(_, method)| *method)
    }

    /// The class and those above it, without interfaces.
    pub fn chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        std::iter::successors(Some(class), |class| self.class(*class).superclass)
    }

    /// The method that a name in code refers to: of the class, those above it, its interfaces.
    pub fn find_method(&self, owner: ClassId, selector: Selector) -> Option<MethodId> {
        let in_chain = self.chain(owner).find_map(|class| self.declared(class, selector));
        in_chain
            .or_else(|| self.in_interfaces(owner, selector))
            .or_else(|| self.declared(self.class_named("java/lang/Object")?, selector))
    }

    /// The method of an interface above a class: one with code if there is one, the most specific first.
    fn in_interfaces(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        let mut best: Option<MethodId> = None;
        for above in self.class(class).above() {
            if !self.class(*above).is_interface() {
                continue;
            }
            let Some(found) = self.declared(*above, selector) else { continue };
            if self.method(found).access & (flags::PRIVATE | flags::STATIC) != 0 && *above != class {
                continue;
            }
            let is_better = best.is_none_or(|best| {
                let (old, new) = (self.method(best), self.method(found));
                let (old_abstract, new_abstract) =
                    (old.access & flags::ABSTRACT != 0, new.access & flags::ABSTRACT != 0);
                (old_abstract && !new_abstract)
                    || (old_abstract == new_abstract && self.is_below(new.owner, old.owner))
            });
            if is_better {
                best = Some(found);
            }
        }
        best
    }

    /// The method that runs when `named` is called on an object of just this class; `None` if it would be an abstract
    /// one, or if something above the class is missing.
    pub fn dispatch(&self, receiver: ClassId, named: MethodId) -> Option<MethodId> {
        let method = self.method(named);
        if method.access & (flags::PRIVATE | flags::STATIC) != 0 {
            return Some(named);
        }
        let fits = |found: &MethodId| self.method(*found).access & (flags::STATIC | flags::PRIVATE) == 0;
        let in_chain = self
            .chain(receiver)
            .find_map(|class| self.declared(class, method.selector).filter(fits))
            .or_else(|| self.in_interfaces(receiver, method.selector));
        in_chain.filter(|found| self.method(*found).access & flags::ABSTRACT == 0)
    }

    /// The field that a name in code refers to.
    pub fn find_field(&self, owner: ClassId, name: &str, descriptor: &str) -> Option<FieldId> {
        let fits = |field: &FieldId| {
            let field = self.field(*field);
            &*field.name == name && &*field.descriptor == descriptor
        };
        let of = |class: ClassId| self.class(class).fields().find(fits);
        let interfaces =
            || self.class(owner).above().iter().filter(|above| self.class(**above).is_interface());
        self.chain(owner).find_map(of).or_else(|| interfaces().find_map(|class| of(*class)))
    }

    fn owner_of(&self, names: &super::ClassInfo, member: Member) -> Option<ClassId> {
        let name = names.code.table.class(member.owner);
        // Arrays have the methods of objects.
        self.class_named(if name.starts_with('[') { "java/lang/Object" } else { name })
    }

    /// Finds what all references in all classes mean. A field that is not there gets a number all the same: those who
    /// read and write it mean the same one.
    pub(super) fn resolve(&mut self, threads: usize) {
        let found = parallel(
            &self.classes,
            threads,
            || (),
            |(), class| {
                let table = &class.code.table;
                let classes = table.classes.iter().map(|name| self.class_named(table.text(*name)));
                let classes: Vec<u32> = classes.map(|found| found.map_or(NONE, |id| id.0)).collect();
                let fields: Vec<u32> = table
                    .fields
                    .iter()
                    .map(|field| {
                        let (_, name, descriptor) = table.names(*field);
                        let found = self.find_field(self.owner_of(class, *field)?, name, descriptor);
                        found.map(|id| id.0)
                    })
                    .map(|found| found.unwrap_or(NONE))
                    .collect();
                let methods: Vec<u32> = table
                    .methods
                    .iter()
                    .map(|method| {
                        let (_, name, descriptor) = table.names(*method);
                        let selector = self.selector(name, descriptor)?;
                        self.find_method(self.owner_of(class, *method)?, selector).map(|id| id.0)
                    })
                    .map(|found| found.unwrap_or(NONE))
                    .collect();
                (classes, fields, methods)
            },
        );
        let mut absent: FxHashMap<(ClassId, Box<str>, Box<str>), FieldId> = FxHashMap::default();
        for (number, (classes, mut fields, methods)) in found.into_iter().enumerate() {
            for (at, place) in fields.iter_mut().enumerate() {
                if *place != NONE {
                    continue;
                }
                let class = &self.classes[number];
                let Some(member) = class.code.table.fields.get(at).copied() else { continue };
                let Some(owner) = self.owner_of(class, member) else { continue };
                let (_, name, descriptor) = class.code.table.names(member);
                let key = (owner, Box::from(name), Box::from(descriptor));
                let next = FieldId(self.fields.len() as u32);
                *place = absent.entry(key.clone()).or_insert(next).0;
                if *place == next.0 {
                    let (owner, name, descriptor) = key;
                    self.fields.push(FieldInfo { owner, access: 0, name, descriptor, index: None });
                }
            }
            let class = &mut self.classes[number];
            (class.class_refs, class.field_refs, class.method_refs) = (classes, fields, methods);
        }
    }
}
