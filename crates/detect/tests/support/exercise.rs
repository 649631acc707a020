//! What the fuzzer and the test of hostile classes do with bytes: read them as a program of one class, follow its calls,
//! and run every check over it. Returns how many methods were looked at.

use std::sync::OnceLock;

use detect::Options;
use detect::on_code::{ALL, Code, check};
use events::models::Models;
use program::Program;
use program::input::{ClassBytes, Found};
use program::points::World;

pub fn exercise(bytes: &[u8]) -> u64 {
    static MODELS: OnceLock<Models> = OnceLock::new();
    let models = MODELS.get_or_init(|| Models::builtin().unwrap_or_default());
    let class = ClassBytes { place: "fuzz".to_owned(), bytes: bytes.to_vec() };
    let program = Program::load(Found { classes: vec![class], gaps: Vec::new() }, None, 1);
    // A class that nobody calls is one whose public methods anybody may call.
    let code = Code::new(program, models.clone(), World::Guess);
    let mut methods = 0;
    for paper in [false, true] {
        let options = Options { paper, ..Options::default() };
        methods = check(&code, ALL, &options, 1, |_| ()).coverage.methods_analysed;
    }
    methods
}
