//! Descriptors (`[Ljava/lang/String;`, `(IJ)V`) as types, without copying. Generic signatures are not read here.

/// A field's or value's type. `Object` holds the internal name, `Array` the whole descriptor with its brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Java's own words
pub enum Type<'d> {
    Boolean,
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Object(&'d [u8]),
    Array(&'d [u8]),
}

impl<'d> Type<'d> {
    /// The type at the start of `text`, and what follows it.
    pub fn first(text: &'d [u8]) -> Option<(Type<'d>, &'d [u8])> {
        let (letter, rest) = text.split_first()?;
        let found = match letter {
            b'Z' => Type::Boolean,
            b'B' => Type::Byte,
            b'C' => Type::Char,
            b'S' => Type::Short,
            b'I' => Type::Int,
            b'J' => Type::Long,
            b'F' => Type::Float,
            b'D' => Type::Double,
            b'L' => {
                let end = rest.iter().position(|b| *b == b';')?;
                let name = rest.get(..end)?;
                // No class is called so, and what names classes and arrays alike would take it for an array.
                if name.starts_with(b"[") {
                    return None;
                }
                return Some((Type::Object(name), rest.get(end + 1..)?));
            }
            b'[' => {
                let depth = text.iter().take_while(|b| **b == b'[').count();
                let (_, after) = Type::first(text.get(depth..)?)?;
                return Some((Type::Array(text.get(..text.len() - after.len())?), after));
            }
            _ => return None,
        };
        Some((found, rest))
    }

    /// A field descriptor, all of it.
    pub fn parse(text: &'d [u8]) -> Option<Type<'d>> {
        Type::first(text).and_then(|(found, rest)| rest.is_empty().then_some(found))
    }

    /// Places on the stack or among the locals: two for long and double.
    pub fn slots(self) -> u16 {
        if matches!(self, Type::Long | Type::Double) { 2 } else { 1 }
    }

    /// Is it an object or array?
    pub fn is_reference(self) -> bool {
        matches!(self, Type::Object(_) | Type::Array(_))
    }

    /// The type of an array's elements.
    pub fn element(self) -> Option<Type<'d>> {
        match self {
            Type::Array(text) => Type::parse(text.get(1..)?),
            _ => None,
        }
    }

    /// How a class constant names it; `None` for primitive types.
    pub fn class_name(self) -> Option<&'d [u8]> {
        match self {
            Type::Object(name) => Some(name),
            Type::Array(text) => Some(text),
            _ => None,
        }
    }
}

/// A method's descriptor, checked as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodType<'d> {
    parameters: &'d [u8],
    result: Option<Type<'d>>,
}

impl<'d> MethodType<'d> {
    /// Reads `(…)…`; `None` for anything else.
    pub fn parse(text: &'d [u8]) -> Option<MethodType<'d>> {
        let mut rest = text.strip_prefix(b"(")?;
        let all = rest;
        while rest.first() != Some(&b')') {
            rest = Type::first(rest)?.1;
        }
        let parameters = all.get(..all.len() - rest.len())?;
        let result = match rest.get(1..)? {
            b"V" => None,
            text => Some(Type::parse(text)?),
        };
        Some(MethodType { parameters, result })
    }

    /// The parameters' types, in order, without the receiver.
    pub fn parameters(self) -> impl Iterator<Item = Type<'d>> {
        let mut rest = self.parameters;
        std::iter::from_fn(move || {
            let (found, after) = Type::first(rest)?;
            rest = after;
            Some(found)
        })
    }

    /// What is returned; `None` for void.
    pub fn result(self) -> Option<Type<'d>> {
        self.result
    }

    /// Places all parameters take, without the receiver. A valid class has at most 255.
    pub fn parameter_slots(self) -> u32 {
        self.parameters().map(|t| u32::from(t.slots())).sum()
    }

    /// Places the result takes.
    pub fn result_slots(self) -> u32 {
        self.result.map_or(0, |t| u32::from(t.slots()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_descriptor_gives_its_types() {
        let found = MethodType::parse(b"(I[[JLa/B;D)[La/B;").expect("valid");
        let types: Vec<_> = found.parameters().collect();
        assert_eq!(types, [Type::Int, Type::Array(b"[[J"), Type::Object(b"a/B"), Type::Double]);
        assert_eq!(found.result(), Some(Type::Array(b"[La/B;")));
        assert_eq!((found.parameter_slots(), found.result_slots()), (5, 1));
        assert_eq!(MethodType::parse(b"()V").map(MethodType::result), Some(None));
    }

    #[test]
    fn what_is_no_descriptor_is_not_read() {
        for text in ["", "(", "()", "(V)V", "()VV", "(La/B)V", "([)V", "I", "()[V", "(L[a;)V"] {
            assert_eq!(MethodType::parse(text.as_bytes()), None, "{text}");
        }
        for text in ["", "V", "II", "[", "L", "La", "[V", "L[a;", "[L[I;"] {
            assert_eq!(Type::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn an_array_gives_its_elements() {
        assert_eq!(Type::Array(b"[[J").element(), Some(Type::Array(b"[J")));
        assert_eq!(Type::Array(b"[La/B;").element(), Some(Type::Object(b"a/B")));
        assert_eq!(Type::Int.element(), None);
    }
}
