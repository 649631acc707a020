//! Tests.
use super::*;
#[test]
fn builtin_tables_parse() {
    match Models::builtin() {
        Ok(m) => eprintln!("{} lines {} kinds", m.lines().len(), m.kinds().len()),
        Err(e) => {
            for x in &e {
                eprintln!("{x}");
            }
            panic!()
        }
    }
}
