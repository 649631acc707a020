//! Patterns for class names: `com.acme.*` and the like. A star stands for any text, dots included; a pattern without
//! one stands for the class itself and its nested classes.

/// Whether any of the patterns stands for a class, whose name has dots.
pub fn any(patterns: &[String], class: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, class))
}

/// Whether a pattern stands for a class, whose name has dots.
pub fn matches(pattern: &str, class: &str) -> bool {
    if !pattern.contains('*') {
        return class.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'));
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| class.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("com.acme.*", "com.acme.bank.Account"));
        assert!(!matches("com.acme.*", "com.acmeX.Account"));
        assert!(matches("*Test", "com.acme.BankTest") && !matches("*Test", "com.acme.Tests"));
        assert!(matches("com.*.Account*", "com.acme.bank.AccountTest"));
        assert!(!matches("a*b*a", "aba_") && matches("a*b*a", "abba"));
    }

    #[test]
    fn a_name_stands_for_its_nested_classes_too() {
        assert!(matches("com.acme.A", "com.acme.A") && matches("com.acme.A", "com.acme.A$B"));
        assert!(!matches("com.acme.A", "com.acme.AB"));
    }
}
