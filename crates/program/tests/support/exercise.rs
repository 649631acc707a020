//! What the fuzzer and the test of hostile classes do with bytes: lower them, verify what came out, print it, read it
//! again. Returns how many bodies there were.

use program::ir::{parse_class, print, verify};

pub fn exercise(bytes: &[u8]) -> Option<usize> {
    let class = program::lower::lower(bytes).ok()?;
    let faults = verify(&class);
    assert!(faults.is_empty(), "{}", faults[0]);
    let text = print(&class);
    let again = parse_class(&text).unwrap_or_else(|error| panic!("{error}"));
    let printed = print(&again);
    if printed != text {
        let other = text.lines().zip(printed.lines()).find(|(line, again)| line != again);
        panic!("the text is not read as it was printed: {other:?}");
    }
    Some(class.methods.iter().filter(|method| method.body().is_some()).count())
}
