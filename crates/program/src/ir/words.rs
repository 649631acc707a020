//! The small words of the register code: kinds of values, arithmetic, conditions, ways to call. Each has one spelling in
//! the text form, given by one table for printing and parsing. Nothing is computed here.

/// An enumeration whose values are words of the text form.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $value,)+ }

        impl $name {
            /// All values, in order.
            pub const ALL: &'static [$name] = &[$($name::$value,)+];

            /// Its spelling in the text form.
            pub fn word(self) -> &'static str {
                match self { $($name::$value => $word,)+ }
            }

            /// The value with that spelling.
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$value),)+ _ => None }
            }
        }
    };
}

words! {
    /// What a register holds. Booleans, bytes, chars and shorts are ints, as on the JVM's stack.
    Kind {
        /// int and everything narrower
        Int = "int",
        /// long
        Long = "long",
        /// float
        Float = "float",
        /// double
        Double = "double",
        /// an object, an array or null
        Ref = "ref",
    }
}

words! {
    /// What an array instruction moves.
    Element {
        /// byte, and boolean: the JVM has one instruction for both
        Byte = "byte",
        /// char
        Char = "char",
        /// short
        Short = "short",
        /// int
        Int = "int",
        /// long
        Long = "long",
        /// float
        Float = "float",
        /// double
        Double = "double",
        /// an object or array
        Ref = "ref",
    }
}

impl Element {
    /// The kind of register it is loaded into.
    pub fn kind(self) -> Kind {
        match self {
            Element::Byte | Element::Char | Element::Short | Element::Int => Kind::Int,
            Element::Long => Kind::Long,
            Element::Float => Kind::Float,
            Element::Double => Kind::Double,
            Element::Ref => Kind::Ref,
        }
    }
}

words! {
    /// Arithmetic on two values of one kind. (The distance of a shift is an int.)
    Binary {
        /// +
        Add = "add",
        /// -
        Sub = "sub",
        /// *
        Mul = "mul",
        /// / (throws for an int or long zero)
        Div = "div",
        /// % (throws for an int or long zero)
        Rem = "rem",
        /// <<
        Shl = "shl",
        /// >>
        Shr = "shr",
        /// >>>
        Ushr = "ushr",
        /// &
        And = "and",
        /// |
        Or = "or",
        /// ^
        Xor = "xor",
        /// -1, 0 or 1; -1 if one is not a number. The result is an int.
        CompareLow = "cmpl",
        /// -1, 0 or 1; 1 if one is not a number. The result is an int.
        CompareHigh = "cmpg",
    }
}

words! {
    /// Conversion between kinds, or to a narrower int: the JVM's own names.
    Convert {
        /// int to long
        I2l = "i2l",
        /// int to float
        I2f = "i2f",
        /// int to double
        I2d = "i2d",
        /// long to int
        L2i = "l2i",
        /// long to float
        L2f = "l2f",
        /// long to double
        L2d = "l2d",
        /// float to int
        F2i = "f2i",
        /// float to long
        F2l = "f2l",
        /// float to double
        F2d = "f2d",
        /// double to int
        D2i = "d2i",
        /// double to long
        D2l = "d2l",
        /// double to float
        D2f = "d2f",
        /// int to byte
        I2b = "i2b",
        /// int to char
        I2c = "i2c",
        /// int to short
        I2s = "i2s",
    }
}

impl Convert {
    /// What it takes and what it gives.
    pub fn kinds(self) -> (Kind, Kind) {
        use Kind::{Double, Float, Int, Long};
        match self {
            Convert::I2l => (Int, Long),
            Convert::I2f => (Int, Float),
            Convert::I2d => (Int, Double),
            Convert::L2i => (Long, Int),
            Convert::L2f => (Long, Float),
            Convert::L2d => (Long, Double),
            Convert::F2i => (Float, Int),
            Convert::F2l => (Float, Long),
            Convert::F2d => (Float, Double),
            Convert::D2i => (Double, Int),
            Convert::D2l => (Double, Long),
            Convert::D2f => (Double, Float),
            Convert::I2b | Convert::I2c | Convert::I2s => (Int, Int),
        }
    }
}

words! {
    /// When a branch is taken.
    Condition {
        /// equal, or the same object
        Equal = "==",
        /// not equal, or another object
        NotEqual = "!=",
        /// less
        Less = "<",
        /// not less
        NotLess = ">=",
        /// greater
        Greater = ">",
        /// not greater
        NotGreater = "<=",
    }
}

words! {
    /// How a call finds its method.
    CallKind {
        /// no receiver
        Static = "static",
        /// a constructor, private or superclass method: just the one named
        Special = "special",
        /// by the receiver's class
        Virtual = "virtual",
        /// by the receiver's class, through an interface
        Interface = "interface",
    }
}

words! {
    /// What a method handle does.
    HandleKind {
        /// reads a field
        Get = "get",
        /// reads a static field
        GetStatic = "getstatic",
        /// writes a field
        Put = "put",
        /// writes a static field
        PutStatic = "putstatic",
        /// calls by the receiver's class
        Virtual = "virtual",
        /// calls a static method
        Static = "static",
        /// calls just this method
        Special = "special",
        /// makes an object and calls its constructor
        New = "new",
        /// calls by the receiver's class, through an interface
        Interface = "interface",
    }
}

impl HandleKind {
    /// By the class file's numbers, 1 to 9.
    pub fn of(number: u8) -> Option<HandleKind> {
        HandleKind::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Is it about a field?
    pub fn is_field(self) -> bool {
        self <= HandleKind::PutStatic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_as_it_is_written() {
        for kind in Binary::ALL {
            assert_eq!(Binary::from_word(kind.word()), Some(*kind));
        }
        for kind in Convert::ALL {
            assert_eq!(Convert::from_word(kind.word()), Some(*kind));
        }
        assert_eq!(Kind::from_word("byte"), None);
        assert_eq!(HandleKind::of(5), Some(HandleKind::Virtual));
        assert_eq!((HandleKind::of(0), HandleKind::of(10)), (None, None));
    }
}
