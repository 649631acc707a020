//! Inputs that are nearly traces: no mutation may panic, take much memory, or get an error without a place.

use std::io::Cursor;

use events::check::Checker;
use events::{Place, open_stream, rapid, text};

/// A small generator of pseudo-random numbers (xorshift64*), seeded so that a failure can be made again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Signs that mean something to one of the readers, and some that should not.
const SIGNS: &[&[u8]] = &[
    b"|",
    b"(",
    b")",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b"@",
    b"%",
    b".",
    b"[",
    b"]",
    b"..",
    b"\"",
    b"\\",
    b"#",
    b"!",
    b"//~",
    b"<",
    b">",
    b":",
    b"-",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xe2\x80\xa8",
    b"99999999999999999999",
    b"4294967295",
    b"read",
    b"\\u{110000}",
    b"begin",
    b"end",
    b"r(",
    b"free C@1\n",
    b"T1 ",
];

fn mutate(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 if at < bytes.len() => bytes[at] = random.next() as u8,
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            _ => {
                let sign = SIGNS[random.below(SIGNS.len())];
                bytes.splice(at..at, sign.iter().copied());
            }
        }
    }
    bytes
}

/// Reads, checks, and writes what could be read in both text forms.
fn survives(bytes: &[u8]) -> bool {
    let mut source = match open_stream("input", Box::new(Cursor::new(bytes.to_vec()))) {
        Ok(source) => source,
        Err(error) => {
            assert!(!error.reason.is_empty() && !error.to_string().contains('\n'), "{error}");
            return false;
        }
    };
    let mut checker = Checker::default();
    let mut as_text = text::Writer::new(Vec::new()).unwrap();
    let mut as_std = rapid::Writer::new(Vec::new(), true);
    let mut batch = Vec::new();
    loop {
        match source.fill(&mut batch) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let Place::Line { line, column } = error.place else { panic!("no place: {error}") };
                let lines = bytes.split(|&byte| byte == b'\n').count() as u64;
                assert!(line >= 1 && line <= lines && column >= 1, "{error}");
                assert!(!error.to_string().contains('\n') && error.to_string().len() < 500, "{error}");
                assert!(!error.reason.starts_with("not an STD line"), "not explained: {error}");
                return false;
            }
        }
        as_text.batch(&batch, source.symbols()).unwrap();
        let _ = as_std.batch(&batch, source.symbols());
        if let Err(malformed) = checker.batch(&batch, source.symbols()) {
            assert!(!malformed.to_string().contains('\n'), "{malformed}");
            return false;
        }
    }
    // What could be read can be written, and says the same again.
    let written = String::from_utf8(as_text.finish(source.gaps(), source.symbols()).unwrap()).unwrap();
    let again = text::parse("written", &written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let mut twice = text::Writer::new(Vec::new()).unwrap();
    twice.batch(&again.events, &again.symbols).unwrap();
    let twice = twice.finish(&again.gaps, &again.symbols).unwrap();
    let order_free = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let directives: Vec<String> = lines.extract_if(.., |line| line.starts_with('!')).collect();
        (directives.len(), lines)
    };
    assert_eq!(order_free(&written), order_free(&String::from_utf8(twice).unwrap()));
    true
}

fn run(seed: u64, input: &str, rounds: usize) {
    assert!(survives(input.as_bytes()), "the seed itself is a good trace");
    let mut random = Random(seed);
    let good = (0..rounds).filter(|_| survives(&mutate(&mut random, input.as_bytes()))).count();
    assert!(good > rounds / 100 && good < rounds, "{good} of {rounds} mutations are good traces still");
}

#[test]
fn mutated_text_never_panics() {
    run(
        1,
        r#"raddle text 1
!final com.acme.Point.x
!gap "class org.foo.Bar" "it could not be rewritten" 3
!flow 0 @ A.java:1 < B.java:2 > com.acme.Account.get()I(Account.java:9)
!stack T1 @ Pool.java:3 < com.acme.Pool.run(Pool.java:8) < :9
main fork T1
T1 start @ com.acme.Account.run()V(Account.java:10) # comment
T1 write com.acme.Account@7.balance @ com.acme.Account.withdraw(I)V(Account.java:42) < com.acme.Main.main(Main.java:7)
T1 read com.acme.Registry.count //~ data-race, stale-value
T1 write int[]@3[0..100]
T1 read "my class"%2@1."a field"
T1 read com.acme.Point3%1@7.(com.acme.Point.x)
T1 vread flag update
T1 acquire com.acme.Lock@9 read
T1 release com.acme.Lock@9 read
T1 acquire m
T1 reenter m
T1 wait m
T1 woken m
T1 reexit m
T1 release m
T1 signal "the \"latch\""
T1 begin f
T1 finish f
T1 free com.acme.Point@4
T1 mark "test one"
T1 flow 0
"#,
        4000,
    );
}

#[test]
fn mutated_std_never_panics() {
    run(
        2,
        "T0|fork(T1)|1\nT1|begin(M195)|1195\nT1|r(P2.1841)|2195\nT1|acq(L8)|3195\nT1|w(a rather long name)|-4195
T1|rel(L8)|2147483647\nT1|begin|3\nT1|end|0\nT1|end(M195)|7195\nT0|join(T1)|7\nT0|w(V14600)|12345678\n",
        6000,
    );
}
