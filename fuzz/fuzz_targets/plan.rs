//! Any bytes after the first line of a plan, with a check sum that is right: a plan that can be written and read again, or an
//! error, never a panic.
#![no_main]

use events::plan::Plan;

libfuzzer_sys::fuzz_target!(|data: Vec<u8>| {
    let mut bytes = b"raddle plan 1\n".to_vec();
    bytes.extend(data);
    bytes.push(b'\n');
    let sum = Plan::check_sum(&bytes);
    bytes.extend(format!("end {sum}\n").into_bytes());
    if let Ok(plan) = Plan::parse(&bytes) {
        assert!(Plan::parse(plan.to_text().as_bytes()).is_ok());
    }
});
