//! Patterns of names, as people write them for classes, methods and fields.

/// Whether a pattern covers a name. `*` stands for any letters, dots included; a pattern without it names a class with
/// its inner classes and members, or a package with all that is in it.
pub fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return name
            .strip_prefix(pattern)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$', '[']));
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut last = "";
    for part in parts {
        // The part before this one may stand anywhere: the first place leaves the most room for the others.
        match rest.find(last) {
            Some(at) => rest = &rest[at + last.len()..],
            None => return false,
        }
        last = part;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_people_expect() {
        for (pattern, class, expected) in [
            ("com.acme.*", "com.acme.Account", true),
            ("com.acme.*", "com.acme.bank.Account", true),
            ("com.acme.*", "com.acmeX.Account", false),
            ("*", "Account", true),
            ("*.Account", "com.acme.Account", true),
            ("*.Account", "com.acme.Accounts", false),
            ("com.*.Account*", "com.acme.bank.AccountTest", true),
            ("com.*.b*k.*", "com.acme.bank.Account", true),
            ("*a*b*", "xaxb", true),
            ("*ab*ab", "ab", false),
            ("a*a", "a", false),
            ("com.acme.Account", "com.acme.Account", true),
            ("com.acme.Account", "com.acme.Account$Entry", true),
            ("com.acme", "com.acme.Account", true),
            ("com.acme.Account", "com.acme.AccountTest", false),
        ] {
            assert_eq!(matches(pattern, class), expected, "{pattern} {class}");
        }
    }
}
