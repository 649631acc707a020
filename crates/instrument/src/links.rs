//! Call sites that are linked when they are first run: accesses to fields of other classes. Each has its own entry in
//! the BootstrapMethods attribute, behind those that are there.

use classfile::{Attribute, Class, Error, Reason, Result, Snippet, op};

use crate::probe::{Probe, Probes};

const INVOKE_STATIC: u8 = 6;

/// The entries to be added to the BootstrapMethods attribute.
#[derive(Default)]
pub(crate) struct Links {
    bytes: Vec<u8>,
    count: usize,
    /// How many the class has of its own, once that was looked up.
    existing: Option<usize>,
}

/// A linked call: what the bootstrap method is told.
pub(crate) struct Link<'l> {
    /// What is linked.
    pub name: &'static [u8],
    /// The call's type.
    pub descriptor: &'l [u8],
    /// Class constant of the field's owner.
    pub owner: u16,
    /// String constant `name:descriptor` of the field.
    pub field: u16,
    /// The site.
    pub site: i32,
}

impl Links {
    /// Appends a linked call.
    pub fn call(
        &mut self,
        class: &mut Class<'_>,
        probes: &mut Probes,
        to: &mut Snippet,
        link: &Link<'_>,
    ) -> Result<()> {
        let existing = match self.existing {
            Some(existing) => existing,
            None => *self.existing.insert(class.bootstrap_methods()?.len()),
        };
        let number = u16::try_from(existing + self.count).ok().filter(|number| *number < u16::MAX);
        let number = number.ok_or(Error { offset: 0, reason: Reason::TableTooLarge("bootstrap methods") })?;
        let method = probes.index(&mut class.pool, Probe::Link)?;
        let handle = class.pool.add_method_handle(INVOKE_STATIC, method)?;
        let site = class.pool.add_integer(link.site)?;
        let call = class.pool.add_invoke_dynamic(number, link.name, link.descriptor)?;
        for word in [handle, 3, link.owner, link.field, site] {
            self.bytes.extend(word.to_be_bytes());
        }
        self.count += 1;
        to.invoke_at(op::INVOKEDYNAMIC, call, link.descriptor)?;
        Ok(())
    }

    /// Puts the entries into the class.
    pub fn write(self, class: &mut Class<'_>) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let count = (self.existing.unwrap_or(0) + self.count) as u16;
        let mut body = count.to_be_bytes().to_vec();
        let Class { pool, attributes, .. } = class;
        let existing =
            attributes.iter_mut().find(|attribute| pool.utf8(attribute.name) == Ok(b"BootstrapMethods"));
        if let Some(attribute) = existing {
            body.extend_from_slice(attribute.body.get(2..).unwrap_or_default());
            body.extend_from_slice(&self.bytes);
            *attribute = Attribute::new(attribute.name, body);
        } else {
            body.extend_from_slice(&self.bytes);
            attributes.push(Attribute::new(pool.add_utf8(b"BootstrapMethods")?, body));
        }
        Ok(())
    }
}
