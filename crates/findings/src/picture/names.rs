//! Names without their packages, for pictures that have little room.

/// The name without the packages in front of its first class: `com.acme.Account@7.balance` is `Account@7.balance`. A
/// name without a class stays whole.
pub fn short(name: &str) -> &str {
    let mut from = 0;
    for part in name.split('.') {
        let is_package = part.starts_with(|c: char| c.is_lowercase())
            && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        let end = from + part.len();
        if !is_package {
            // A class, or an array of a primitive type behind nothing.
            let is_class = part.starts_with(|c: char| c.is_uppercase() || c == '$' || c == '_');
            return if is_class { &name[from..] } else { name };
        }
        if end >= name.len() {
            return name;
        }
        from = end + 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn packages_are_left_out_and_nothing_else() {
        for (name, expected) in [
            ("com.acme.Account@7.balance", "Account@7.balance"),
            ("com.acme.Account", "Account"),
            ("Account.balance", "Account.balance"),
            ("a.b.c", "a.b.c"),
            ("lock", "lock"),
            ("int[]@3[0..50]", "int[]@3[0..50]"),
            ("com.acme.Account$Inner.x", "Account$Inner.x"),
            ("", ""),
            (".", "."),
            ("a.", "a."),
            ("é.Ä.x", "Ä.x"),
            ("a.\u{1b}[2J.B", "a.\u{1b}[2J.B"),
        ] {
            assert_eq!(short(name), expected, "{name}");
        }
    }
}
