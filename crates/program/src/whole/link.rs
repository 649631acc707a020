//! Who extends whom, and numbers for members. A hierarchy that goes in circles is cut open where it is noticed, as a gap.

use super::load::shown;
use super::{ClassId, FieldInfo, MethodId, MethodInfo, Program, Selector};
use crate::Gap;

impl Program {
    /// Links classes to those above them and numbers all members.
    pub(super) fn link(&mut self) {
        for number in 0..self.classes.len() {
            let class = &self.classes[number];
            let table = &class.code.table;
            let id = |name| self.names.get(table.class(name)).copied();
            let superclass = class.code.superclass.and_then(id);
            let interfaces = class.code.interfaces.iter().copied().filter_map(id).collect();
            let class = &mut self.classes[number];
            (class.superclass, class.interfaces) = (superclass, interfaces);
        }
        let order = self.cut_circles();
        self.find_above(&order);
        for number in 0..self.classes.len() {
            self.number_members(ClassId(number as u32));
        }
    }

    fn parents(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        let class = self.class(class);
        class.superclass.into_iter().chain(class.interfaces.iter().copied())
    }

    /// Takes out links that close a circle; returns all classes, those above before those below.
    fn cut_circles(&mut self) -> Vec<ClassId> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.classes.len()];
        let mut order = Vec::with_capacity(self.classes.len());
        let mut stack: Vec<(ClassId, usize)> = Vec::new();
        for root in 0..self.classes.len() as u32 {
            if marks[root as usize] != Mark::New {
                continue;
            }
            marks[root as usize] = Mark::Open;
            stack.push((ClassId(root), 0));
            while let Some((class, next)) = stack.last_mut() {
                let (class, at) = (*class, *next);
                *next += 1;
                let parent = self.parents(class).nth(at);
                match parent {
                    None => {
                        marks[class.index()] = Mark::Done;
                        order.push(class);
                        stack.pop();
                    }
                    Some(parent) => match marks[parent.index()] {
                        Mark::New => {
                            marks[parent.index()] = Mark::Open;
                            stack.push((parent, 0));
                        }
                        Mark::Done => {}
                        Mark::Open => {
                            // One link less: the next one now stands where this one stood.
                            if let Some((_, next)) = stack.last_mut() {
                                *next = at;
                            }
                            self.unlink(class, parent);
                        }
                    },
                }
            }
        }
        order
    }

    fn unlink(&mut self, class: ClassId, parent: ClassId) {
        let what = shown("class", self.class(class).name());
        let why = format!("it extends itself by way of {}", self.class(parent).name().replace('/', "."));
        self.gaps.push(Gap::new(what, why));
        let info = &mut self.classes[class.index()];
        if info.superclass == Some(parent) {
            info.superclass = None;
        } else if let Some(at) = info.interfaces.iter().position(|interface| *interface == parent) {
            info.interfaces.remove(at);
        }
    }

    fn find_above(&mut self, order: &[ClassId]) {
        for class in order {
            let mut above = vec![*class];
            for parent in self.parents(*class) {
                above.extend(&self.class(parent).above);
            }
            above.sort_unstable();
            above.dedup();
            self.classes[class.index()].above = above;
        }
        for number in 0..self.classes.len() as u32 {
            // Ascending numbers keep these lists sorted.
            let above = std::mem::take(&mut self.classes[number as usize].above);
            for class in &above {
                self.classes[class.index()].below.push(ClassId(number));
            }
            self.classes[number as usize].above = above;
        }
    }

    fn intern(&mut self, name: &str, descriptor: &str) -> Selector {
        // Looking up pairs without making them would need a map of maps; members are declared once.
        let key = (Box::from(name), Box::from(descriptor));
        if let Some(found) = self.selectors.get(&key) {
            return *found;
        }
        let selector = Selector(self.selector_names.len() as u32);
        self.selector_names.push(key.clone());
        self.selectors.insert(key, selector);
        selector
    }

    fn number_members(&mut self, id: ClassId) {
        let first_method = self.methods.len() as u32;
        let first_field = self.fields.len() as u32;
        let code = std::mem::take(&mut self.classes[id.index()].code.table);
        let mut declared = Vec::new();
        for index in 0..self.classes[id.index()].code.methods.len() {
            let method = &self.classes[id.index()].code.methods[index];
            let access = method.access;
            let (name, descriptor) = (code.text(method.name), code.text(method.descriptor));
            let selector = self.intern(name, descriptor);
            declared.push((selector, MethodId(self.methods.len() as u32)));
            self.methods.push(MethodInfo { owner: id, index: index as u32, selector, access });
        }
        for (index, field) in (0u32..).zip(&self.classes[id.index()].code.fields) {
            self.fields.push(FieldInfo {
                owner: id,
                access: field.access,
                name: code.text(field.name).into(),
                descriptor: code.text(field.descriptor).into(),
                index: Some(index),
            });
        }
        declared.sort_unstable();
        let class = &mut self.classes[id.index()];
        class.code.table = code;
        (class.first_method, class.first_field, class.declared) = (first_method, first_field, declared);
    }
}
