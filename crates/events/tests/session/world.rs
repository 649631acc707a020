//! What all session tests share: a folder that goes away, names for every kind of site, and reading to the end.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use events::check::Checker;
use events::session::names::STATIC;
use events::session::play::Player;
use events::session::{Entry, Kind, Reader};
use events::{Event, Source, Symbols, text};

/// A folder for one session.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("raddle-session-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub fn player(&self) -> Player {
        let mut player = Player::new(&self.0, 1 << 20).unwrap();
        names(&mut player);
        player
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The class number of `acme.Account`.
pub const ACCOUNT: u32 = 1;
/// The class number of `java.util.HashMap`.
pub const MAP: u32 = 2;
/// The static field `acme.Account.total`.
const TOTAL: u32 = 9;

/// The site of a kind in `acme.Account.run`; accesses are of field 1.
pub fn site(kind: Kind) -> u32 {
    u32::from(kind.number())
}

/// A site that reads field `1..=8`, and one that writes it.
pub fn read_of(field: u32) -> u32 {
    100 + field
}

pub fn write_of(field: u32) -> u32 {
    200 + field
}

/// A site that writes the static field.
pub const WRITE_STATIC: u32 = 300;

pub fn names(player: &mut Player) {
    let text = str::to_owned;
    let mut say = |entry: Entry| player.name(&entry).unwrap();
    say(Entry::Class { number: ACCOUNT, name: text("acme/Account"), file: text("Account.java") });
    say(Entry::Class { number: MAP, name: text("java.util.HashMap"), file: String::new() });
    say(Entry::Method { number: 1, class: ACCOUNT, name: text("run"), descriptor: text("()V") });
    for number in 1..=TOTAL {
        let name = if number == TOTAL { text("total") } else { format!("f{number}") };
        let flags = if number == TOTAL { STATIC } else { 0 };
        say(Entry::Field { number, class: ACCOUNT, name, descriptor: text("I"), flags });
    }
    let mut site = |number: u32, kind: Kind, operand: u32, text: &str| {
        let (kind, text) = (kind.number(), text.to_owned());
        say(Entry::Site { number, method: 1, line: number, kind, operand, text, of: String::new() });
    };
    for &kind in Kind::ALL {
        let about = matches!(kind, Kind::Read | Kind::Write | Kind::VolatileRead | Kind::VolatileWrite);
        let array = matches!(kind, Kind::ArrayRead | Kind::ArrayWrite);
        let operand = match kind {
            Kind::FlowUse => Kind::FlowRead.number().into(),
            _ => about.into(),
        };
        site(kind.number().into(), kind, operand, if array { "int[]" } else { "" });
    }
    for field in 1..=8 {
        site(read_of(field), Kind::Read, field, "");
        site(write_of(field), Kind::Write, field, "");
    }
    site(WRITE_STATIC, Kind::Write, TOTAL, "");
    say(Entry::String { number: 1, text: text("testTransfer") });
}

/// Reads a source to its end and checks every batch.
pub fn read(reader: &mut Reader) -> Vec<Event> {
    read_as(reader, |event, _| Some(*event))
}

/// The same, and looks at each event while its names are valid.
pub fn read_as<T>(reader: &mut Reader, look: impl Fn(&Event, &Symbols) -> Option<T>) -> Vec<T> {
    let mut checker = Checker::default();
    let (mut all, mut batch) = (Vec::new(), Vec::new());
    while reader.fill(&mut batch).unwrap() {
        checker.batch(&batch, reader.symbols()).unwrap_or_else(|wrong| panic!("{wrong}"));
        all.extend(batch.iter().filter_map(|event| look(event, reader.symbols())));
    }
    assert!(!reader.fill(&mut batch).unwrap(), "the end stays the end");
    all
}

/// The events as text, without their places.
pub fn told(folder: &Folder) -> (Vec<String>, Reader) {
    let mut reader = Reader::finished(&folder.0).unwrap();
    let events = read(&mut reader);
    let mut writer = text::Writer::new(Vec::new()).unwrap();
    writer.batch(&events, reader.symbols()).unwrap();
    let text = String::from_utf8(writer.finish(&[], reader.symbols()).unwrap()).unwrap();
    let lines = text.lines().skip(1).filter(|line| !line.starts_with('!') && !line.is_empty());
    let lines = lines.map(|line| line.split(" @ ").next().unwrap_or(line).to_owned()).collect();
    (lines, reader)
}
