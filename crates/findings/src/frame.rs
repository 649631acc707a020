//! A place in the code, as plain names, and its two written forms.
//!
//! In machine formats a frame of a stack is one string, the form of a Java stack trace: `pkg.Class.method(File.java:42)`.
//! A descriptor stays where it is known: `pkg.Class.method(I)V(File.java:42)`. Names come from the watched program and
//! may hold anything, so reading the string back may cut it at another place than it was put together at; what is
//! promised is that writing it again gives the same string.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Packages that nobody looks into for their own mistakes.
const LIBRARIES: [&str; 16] = [
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "junit.",
    "org.junit.",
    "org.testng.",
    "org.gradle.",
    "org.apache.maven.",
];

/// One frame of a stack, or the place of a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// The class, empty where it is not known.
    pub class: String,
    /// The method with its descriptor, empty where it is not known.
    pub method: String,
    /// The source file, empty where it is not known.
    pub file: String,
    /// The line; 0 where it is not known.
    pub line: i32,
}

impl Frame {
    /// The method without its descriptor.
    pub fn method_name(&self) -> &str {
        self.method.split('(').next().unwrap_or_default()
    }

    /// Whether it is in the JDK, a language's library or a test tool.
    pub fn is_library(&self) -> bool {
        LIBRARIES.iter().any(|start| self.class.starts_with(start))
    }

    /// The source file below a source root: `com/acme/Account.java`. None where the file is not known.
    pub fn source(&self) -> Option<String> {
        match self.class.rsplit_once('.') {
            _ if self.file.is_empty() => None,
            Some((package, _)) => Some(format!("{}/{}", package.replace('.', "/"), self.file)),
            None => Some(self.file.clone()),
        }
    }

    /// `File.java:42`, `File.java`, `:42` or nothing.
    fn file_and_line(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }

    fn class_and(&self, method: &str) -> String {
        match (self.class.as_str(), method) {
            ("", method) => method.to_owned(),
            (class, "") => class.to_owned(),
            (class, method) => format!("{class}.{method}"),
        }
    }

    /// The one-string form of machine formats.
    pub fn to_line(&self) -> String {
        let length = self.class.len() + self.method.len() + self.file.len() + 16;
        let mut line = String::with_capacity(length);
        line.push_str(&self.class);
        if !self.class.is_empty() && !self.method.is_empty() {
            line.push('.');
        }
        line.push_str(&self.method);
        if self.file.is_empty() && self.line == 0 {
            return line;
        }
        let named = !line.is_empty();
        if named {
            line.push('(');
        }
        line.push_str(&self.file);
        if self.line != 0 {
            // Writing to a string cannot fail.
            let _ = write!(line, ":{}", self.line);
        }
        if named {
            line.push(')');
        }
        line
    }

    /// Reads [`to_line`](Self::to_line) back.
    pub fn from_line(line: &str) -> Self {
        let frame = Self::cut(line);
        if frame.to_line() == line { frame } else { Self { method: line.to_owned(), ..Self::default() } }
    }

    fn cut(line: &str) -> Self {
        let mut frame = Self::default();
        let place = match line.strip_suffix(')').and_then(|rest| rest.rfind('(')) {
            Some(open) => {
                let name = &line[..open];
                let method = name[..name.find('(').unwrap_or(name.len())].rfind('.');
                let (class, method) = method.map_or(("", name), |dot| (&name[..dot], &name[dot + 1..]));
                (frame.class, frame.method) = (class.to_owned(), method.to_owned());
                &line[open + 1..line.len() - 1]
            }
            None => line,
        };
        let (file, number) = place.rsplit_once(':').unwrap_or((place, ""));
        match number.parse() {
            Ok(number) => (frame.file, frame.line) = (file.to_owned(), number),
            Err(_) => place.clone_into(&mut frame.file),
        }
        frame
    }

    /// The form for people: `pkg.Class.method (File.java:42)`, without the descriptor; `line 42` where only that is
    /// known; empty where nothing is.
    pub fn to_prose(&self) -> String {
        let (name, place) = (self.class_and(self.method_name()), self.file_and_line());
        match (name.as_str(), place.as_str()) {
            (_, "") => name,
            ("", _) if self.file.is_empty() => format!("line {}", self.line),
            ("", _) => place,
            _ if self.file.is_empty() => format!("{name} (line {})", self.line),
            _ => format!("{name} ({place})"),
        }
    }
}

/// How a single frame is written: a string.
pub(crate) mod line {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::Frame;

    pub(crate) fn serialize<S: Serializer>(frame: &Frame, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&frame.to_line())
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Frame, D::Error> {
        Ok(Frame::from_line(&String::deserialize(from)?))
    }
}

/// How a stack is written: an array of strings.
pub(crate) mod lines {
    use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

    use super::Frame;

    /// A frame as its line.
    struct Line<'a>(&'a Frame);

    impl Serialize for Line<'_> {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            to.serialize_str(&self.0.to_line())
        }
    }

    pub(crate) fn serialize<S: Serializer>(stack: &[Frame], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(stack.iter().map(Line))
    }

    pub(crate) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Frame>, D::Error> {
        Ok(Vec::<String>::deserialize(from)?.iter().map(|line| Frame::from_line(line)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(class: &str, method: &str, file: &str, line: i32) -> Frame {
        Frame { class: class.into(), method: method.into(), file: file.into(), line }
    }

    #[test]
    fn a_frame_is_written_like_a_line_of_a_java_stack_trace() {
        let known = frame("com.acme.Account", "withdraw", "Account.java", 42);
        assert_eq!(known.to_line(), "com.acme.Account.withdraw(Account.java:42)");
        assert_eq!(known.to_prose(), "com.acme.Account.withdraw (Account.java:42)");
        assert_eq!(frame("", "", "", 7).to_prose(), "line 7");
        assert_eq!(frame("", "", "A.java", 7).to_prose(), "A.java:7");
        assert_eq!(frame("A", "run(I)V", "A.java", 0).to_prose(), "A.run (A.java)");
        assert_eq!(frame("", "", "", 0).to_prose(), "");
    }

    #[test]
    fn usual_frames_come_back_as_they_were() {
        for known in [
            frame("com.acme.Account", "withdraw", "Account.java", 42),
            frame("com.acme.Account", "<init>(ILjava/lang/String;)V", "Account.java", 42),
            frame("com.acme.Account", "withdraw", "Account.java", 0),
            frame("", "", "Account.java", 42),
            frame("", "", "", 42),
            frame("", "", "", -2),
            frame("", "", "", 0),
            frame("Main", "main", "", 3),
        ] {
            assert_eq!(Frame::from_line(&known.to_line()), known);
        }
    }

    #[test]
    fn whatever_a_name_holds_the_line_is_written_again_as_it_was() {
        let odd = [
            "",
            "a",
            "(",
            ")",
            ".",
            ":",
            "a.b",
            "a(b)",
            "a:1",
            ":-1",
            "(:)",
            "x(y:2)",
            ").(",
            "\u{1b}[31m",
            "é.λ()",
        ];
        for class in odd {
            for method in odd {
                for file in odd {
                    for line in [0, 5, -3] {
                        let written = frame(class, method, file, line).to_line();
                        assert_eq!(Frame::from_line(&written).to_line(), written);
                    }
                }
            }
        }
    }
}
