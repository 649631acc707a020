//! As much of the protocol buffers' wire format as one writer needs.

/// A message that is being put together.
#[derive(Default)]
pub(super) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// What was put together.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value as u8 & 0x7f) | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// An integer of any kind but a signed one that is negative.
    pub(super) fn varint(&mut self, field: u32, value: u64) {
        self.number(u64::from(field) << 3);
        self.number(value);
    }

    /// An integer of eight bytes.
    pub(super) fn fixed64(&mut self, field: u32, value: u64) {
        self.number(u64::from(field) << 3 | 1);
        self.bytes.extend(value.to_le_bytes());
    }

    /// A text.
    pub(super) fn string(&mut self, field: u32, value: &str) {
        self.raw(field, value.as_bytes());
    }

    /// A message inside.
    pub(super) fn message(&mut self, field: u32, value: &Message) {
        self.raw(field, &value.bytes);
    }

    fn raw(&mut self, field: u32, value: &[u8]) {
        self.number(u64::from(field) << 3 | 2);
        self.number(value.len() as u64);
        self.bytes.extend(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_written_as_the_format_wants() {
        let mut inner = Message::default();
        inner.varint(1, 150);
        let mut outer = Message::default();
        outer.message(3, &inner);
        outer.string(2, "testing");
        outer.fixed64(47, 1);
        assert_eq!(outer.bytes()[..5], [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(outer.bytes()[5..14], *b"\x12\x07testing");
        assert_eq!(outer.bytes()[14..], [0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
