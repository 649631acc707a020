//! The merged order, on random runs: it keeps each thread's order and the order of the stamps, loses nothing, passes the
//! checker, however writing and reading interleave, live and afterwards.

use std::collections::HashMap;
use std::io::ErrorKind;

use events::check::Checker;
use events::session::layout::FIRST_CHUNK;
use events::session::play::Player;
use events::session::{Kind, Poll, Reader};
use events::{Event, Op, Slot, Source as _, Stretches, Symbols};

use crate::world::{ACCOUNT, Folder, names, read, read_as, read_of, site, write_of};

/// Numbers that are random enough and the same every time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A plain access or a volatile one, by thread name, object number and field name: what must arrive just as written.
type Step = (u32, u64, String, bool, bool);

/// A random run that plays threads, locks, waits, forks and joins as a JVM could.
pub struct Run {
    pub random: Random,
    threads: u32,
    /// Who holds a monitor, and how often.
    locks: HashMap<u64, (u32, u32)>,
    waiting: HashMap<u32, (u64, u32)>,
    begun: Vec<u32>,
    ended: Vec<u32>,
    pub written: Vec<Step>,
    /// In the order of their stamps.
    volatile: Vec<Step>,
    /// The oldest object that lives.
    oldest: u64,
    /// One record in so many is one that does not fit; 0 for none.
    odd: u64,
}

const OBJECTS: u64 = 200;
const LOCKS: u64 = 5;

impl Run {
    pub fn new(seed: u64, threads: u32, odd: u64) -> Self {
        Self {
            random: Random(seed),
            threads,
            locks: HashMap::new(),
            waiting: HashMap::new(),
            begun: vec![1],
            ended: Vec::new(),
            written: Vec::new(),
            volatile: Vec::new(),
            oldest: 1,
            odd,
        }
    }

    pub fn begin(&mut self, player: &mut Player) {
        player.thread(1, "1").unwrap();
        player.stamped(1, site(Kind::Start), 0, 0).unwrap();
    }

    /// One step of some thread. False if there is no free chunk.
    pub fn step(&mut self, player: &mut Player) -> bool {
        let running: Vec<u32> = self.begun.iter().copied().filter(|me| !self.ended.contains(me)).collect();
        let me = running[self.random.below(running.len() as u64) as usize];
        let done = match self.waiting.get(&me).copied() {
            Some((lock, times)) => match self.locks.contains_key(&lock) {
                true => Ok(()),
                false => player.stamped(me, site(Kind::Woken), lock, ACCOUNT).map(|_| {
                    self.waiting.remove(&me);
                    self.locks.insert(lock, (me, times));
                }),
            },
            None => self.act(me, player),
        };
        if self.random.below(3) == 0 {
            player.flush(me).unwrap();
        }
        match done {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn act(&mut self, me: u32, player: &mut Player) -> std::io::Result<()> {
        let lock = 1_000_000 + self.random.below(LOCKS);
        if self.odd > 0 && self.random.below(self.odd) == 0 {
            let kinds = [Kind::Exit, Kind::ExitBlock, Kind::Woken, Kind::Enter, Kind::Release, Kind::Finish];
            let kind = kinds[self.random.below(kinds.len() as u64) as usize];
            return match kind.is_stamped() {
                true => player.stamped(me, site(kind), lock, ACCOUNT).map(drop),
                false => player.plain(me, site(kind), 0),
            };
        }
        match self.random.below(40) {
            0 if self.begun.len() < self.threads as usize => {
                let child = self.begun.len() as u32 + 1;
                player.thread(child, &child.to_string())?;
                player.stamped(me, site(Kind::Fork), child.into(), 0)?;
                player.stamped(child, site(Kind::Start), 0, 0)?;
                self.begun.push(child);
            }
            1 if me != 1 && self.locks.values().all(|held| held.0 != me) && self.random.below(8) == 0 => {
                player.stamped(me, site(Kind::End), 0, 0)?;
                player.close(me).unwrap();
                self.ended.push(me);
            }
            2 if !self.ended.is_empty() => {
                let child = self.ended[self.random.below(self.ended.len() as u64) as usize];
                player.stamped(me, site(Kind::Join), child.into(), 0)?;
            }
            3..=8 => match self.locks.get(&lock).copied() {
                None => {
                    player.stamped(me, site(Kind::EnterBlock), lock, ACCOUNT)?;
                    self.locks.insert(lock, (me, 1));
                }
                Some((owner, times)) if owner == me => {
                    player.stamped(me, site(Kind::EnterBlock), lock, ACCOUNT)?;
                    self.locks.insert(lock, (me, times + 1));
                }
                Some(_) => {}
            },
            9..=16 => {
                if let Some((owner, times)) = self.locks.get(&lock).copied()
                    && owner == me
                {
                    if self.random.below(2) == 0 {
                        player.stamped(me, site(Kind::ExitBlock), lock, ACCOUNT)?;
                    } else {
                        // Nobody can enter the monitor before this was written.
                        player.plain(me, site(Kind::ExitBlock), lock)?;
                        player.flush(me)?;
                    }
                    match times {
                        1 => drop(self.locks.remove(&lock)),
                        _ => drop(self.locks.insert(lock, (me, times - 1))),
                    }
                }
            }
            17 => {
                if let Some((owner, times)) = self.locks.get(&lock).copied()
                    && owner == me
                {
                    player.stamped(me, site(Kind::Wait), lock, ACCOUNT)?;
                    self.locks.remove(&lock);
                    self.waiting.insert(me, (lock, times));
                }
            }
            18..=20 => {
                let write = self.random.below(2) == 1;
                let kind = if write { Kind::VolatileWrite } else { Kind::VolatileRead };
                let object = self.oldest + self.random.below(OBJECTS);
                player.stamped(me, site(kind), object, ACCOUNT)?;
                let step = (me, object, "f1".to_owned(), write, true);
                self.volatile.push(step.clone());
                self.written.push(step);
            }
            21 => {
                // Nobody has it any more, whatever was written about it before.
                player.stamped(me, site(Kind::Free), self.oldest, 0)?;
                self.oldest += 1;
            }
            _ => {
                for _ in 0..=self.random.below(30) {
                    let object = self.oldest + self.random.below(OBJECTS);
                    let field = 2 + self.random.below(7) as u32;
                    let write = self.random.below(2) == 1;
                    player.plain(me, if write { write_of(field) } else { read_of(field) }, object)?;
                    self.written.push((me, object, format!("f{field}"), write, false));
                }
            }
        }
        Ok(())
    }
}

/// What an access says of itself.
pub fn step(event: &Event, symbols: &Symbols) -> Option<Step> {
    let (var, write, volatile) = match event.op {
        Op::Read { var } => (var, false, false),
        Op::Write { var } => (var, true, false),
        Op::VolatileRead { var, .. } => (var, false, true),
        Op::VolatileWrite { var, .. } => (var, true, true),
        _ => return None,
    };
    let row = symbols.variables().get(var);
    let Slot::Field(field) = row.slot else { return None };
    let name = symbols.str(symbols.fields.get(field).name).to_owned();
    let thread = symbols.str(symbols.threads.get(event.thread).name).parse().unwrap();
    Some((thread, symbols.objects().get(row.object.unwrap()).label, name, write, volatile))
}

fn agrees(run: &Run, told: &[Step]) {
    for thread in 1..=run.threads {
        let of = |steps: &[Step]| steps.iter().filter(|step| step.0 == thread).cloned().collect::<Vec<_>>();
        assert!(of(&run.written) == of(told), "thread {thread} is told otherwise than it was");
    }
    let volatile: Vec<Step> = told.iter().filter(|step| step.4).cloned().collect();
    assert!(volatile == run.volatile, "stamps are told out of order");
}

#[test]
fn a_finished_session_is_told_whole_and_in_order() {
    for seed in 0..12 {
        let folder = Folder::new();
        let mut player = folder.player();
        let mut run = Run::new(seed, 1 + (seed as u32 % 7), 0);
        run.begin(&mut player);
        (0..3_000).for_each(|_| assert!(run.step(&mut player)));
        player.end().unwrap();
        let mut reader = Reader::finished(&folder.0).unwrap();
        let told = read_as(&mut reader, |event, symbols| Some((*event, step(event, symbols))));
        let (events, told): (Vec<Event>, Vec<Option<Step>>) = told.into_iter().unzip();
        agrees(&run, &told.into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(reader.gaps(), [], "nothing is missing");
        assert!(reader.damage().is_none());
        assert!(events.len() > 20_000);
        let freed = events.iter().filter(|event| matches!(event.op, Op::Free { .. })).count() as u64;
        assert!(freed > 20 && freed < run.oldest, "{freed} of {}", run.oldest);
    }
}

#[test]
fn records_that_do_not_fit_are_gaps_and_never_a_malformed_trace() {
    let mut gaps = 0;
    for seed in 0..12 {
        let folder = Folder::new();
        let mut player = folder.player();
        let mut run = Run::new(seed, 5, 20);
        run.begin(&mut player);
        (0..3_000).for_each(|_| assert!(run.step(&mut player)));
        player.end().unwrap();
        let mut reader = Reader::finished(&folder.0).unwrap();
        read(&mut reader);
        gaps += reader.gaps().len();
    }
    assert!(gaps > 24, "the odd records were odd: {gaps}");
}

/// Reads while the run goes on, in a file that is too small for all of it.
fn live(seed: u64, budget: u64) {
    let folder = Folder::new();
    let mut player = Player::new(&folder.0, budget).unwrap();
    names(&mut player);
    let mut run = Run::new(seed, 6, 0);
    let mut reader = Reader::live(&folder.0).unwrap().unwrap();
    let mut checker = Checker::default();
    let mut told = Vec::new();
    let mut take = |reader: &mut Reader| {
        let mut stretches = Stretches::default();
        let poll = reader.poll(&mut stretches).unwrap();
        let mut events = Vec::new();
        stretches.uncut(&mut events);
        checker.batch(&events, reader.symbols()).unwrap();
        told.extend(events.iter().filter_map(|event| step(event, reader.symbols())));
        poll
    };
    run.begin(&mut player);
    let (mut steps, mut blocked) = (0, 0);
    while steps < 20_000 {
        match run.step(&mut player) {
            true => steps += 1,
            false => {
                // Whoever holds a stamp writes it down without waiting for anybody, and the chunks come back.
                (1..=6).for_each(|thread| player.flush(thread).unwrap());
                blocked += 1;
                assert!(blocked < 100_000, "no chunk ever came back");
                while take(&mut reader) == Poll::Events {}
            }
        }
        if run.random.below(3_000) == 0 {
            take(&mut reader);
        }
    }
    assert!(player.pages() <= budget);
    player.end().unwrap();
    while take(&mut reader) != Poll::End {}
    agrees(&run, &told);
    assert_eq!(reader.gaps(), []);
    assert!(blocked > 0, "the file was large enough");
    let (rows, met) = (reader.symbols().objects().len() as u64, OBJECTS + LOCKS + run.oldest);
    assert!(rows < met - run.oldest / 4, "the rows of the dead are used again: {rows} of {met}");
}

#[test]
fn a_small_file_is_enough_for_a_long_run_that_is_read_live() {
    for seed in 0..3 {
        live(seed, u64::from(FIRST_CHUNK) + 6 + 16 * 8);
    }
}

#[test]
fn a_thread_that_is_far_ahead_stays_unread() {
    let folder = Folder::new();
    let mut player = folder.player();
    player.thread(1, "1").unwrap();
    player.thread(2, "2").unwrap();
    player.stamped(1, site(Kind::Start), 0, 0).unwrap();
    for _ in 0..100_000 {
        player.stamped(2, site(Kind::VolatileWrite), 7, ACCOUNT).unwrap();
        player.flush(2).unwrap();
    }
    let mut reader = Reader::live(&folder.0).unwrap().unwrap();
    let mut stretches = Stretches::default();
    assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Nothing, "the first stamp is missing");
    assert!(reader.progress().read < 1 << 16);
    player.flush(1).unwrap();
    let mut events = 0;
    while reader.poll(&mut stretches).unwrap() == Poll::Events {
        events += stretches.len();
    }
    assert_eq!(events, 100_001);
}

#[test]
fn a_record_is_told_before_its_chunk_is_full() {
    let folder = Folder::new();
    let mut player = folder.player();
    let mut reader = Reader::live(&folder.0).unwrap().unwrap();
    let mut stretches = Stretches::default();
    assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Nothing);
    player.thread(1, "1").unwrap();
    for _ in 0..10 {
        player.plain(1, site(Kind::Read), 7).unwrap();
        assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Nothing, "not visible yet");
        player.flush(1).unwrap();
        assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::Events);
        assert_eq!(stretches.len(), 1);
    }
    player.end().unwrap();
    assert_eq!(reader.poll(&mut stretches).unwrap(), Poll::End);
}

/// Threads that hand a lock on, of which the first one stops telling what it does: what it does not tell must not make the
/// others look wrong.
#[test]
fn where_watching_ended_early_nothing_is_told_that_may_lack_something() {
    for seed in 0..6 {
        let folder = Folder::new();
        let mut player = folder.player();
        let mut run = Run::new(seed, 4, 0);
        run.begin(&mut player);
        let mut reader = Reader::live(&folder.0).unwrap().unwrap();
        let mut told = Vec::new();
        let mut take = |reader: &mut Reader| {
            let mut stretches = Stretches::default();
            let poll = reader.poll(&mut stretches).unwrap();
            let mut events = Vec::new();
            stretches.uncut(&mut events);
            told.extend(events.iter().filter_map(|event| step(event, reader.symbols())));
            poll
        };
        (0..2_000).for_each(|_| assert!(run.step(&mut player)));
        (1..=4).for_each(|thread| player.flush(thread).unwrap());
        take(&mut reader);
        let stamped = run.volatile.len();
        player.cut(28).unwrap();
        (0..500).for_each(|_| assert!(run.step(&mut player)));
        (1..=4).for_each(|thread| player.flush(thread).unwrap());
        // A record whose name had no room.
        player.plain(1, 4000, 7).unwrap();
        player.flush(1).unwrap();
        while take(&mut reader) != Poll::End {}
        let volatile: Vec<Step> = told.iter().filter(|step| step.4).cloned().collect();
        assert!(run.volatile.len() > stamped + 5);
        assert_eq!(volatile, run.volatile[..stamped], "all that came before, and nothing of what came after");
        assert!(reader.damage().is_none());
        let [gap] = reader.gaps() else { panic!("{:?}", reader.gaps()) };
        assert_eq!((gap.what.as_str(), gap.count), ("the rest of the run", 1));
        assert!(gap.why.contains("No space left on device"), "{}", gap.why);
    }
}

/// The room for names runs out first, and a thread takes no stamp any more.
#[test]
fn a_thread_whose_next_record_has_no_name_ends_there() {
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let folder = Folder::new();
        let mut player = folder.player();
        player.thread(1, "1").unwrap();
        player.plain(1, site(Kind::Read), 7).unwrap();
        player.flush(1).unwrap();
        player.cut(28).unwrap();
        // Both read at once, and the second one has no name.
        player.plain(1, site(Kind::Read), 8).unwrap();
        player.plain(1, 4000, 7).unwrap();
        player.flush(1).unwrap();
        let mut reader = Reader::live(&folder.0).unwrap().unwrap();
        let mut stretches = Stretches::default();
        let mut events = 0;
        while reader.poll(&mut stretches).unwrap() != Poll::End {
            events += stretches.len();
        }
        done.send((events, reader.damage().is_none(), reader.gaps().len())).unwrap();
    });
    let told = ended.recv_timeout(std::time::Duration::from_secs(60)).expect("it ends");
    assert_eq!(told, (2, true, 1));
}
