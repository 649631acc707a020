//! The judge of `stale`: the definition taken literally, on every path through small random programs. It runs the program's
//! statements one after the other, with what every register holds traced back to the reads it was computed from and every
//! execution of a locked block told apart by a number. Nothing here is shared with the check: the programs are made here,
//! written down as text for the check, and run here as they are.

use std::collections::BTreeSet;

use detect::Options;
use detect::on_code::{Code, by_name, check};
use events::models::Models;
use program::Program;
use program::points::World;

use crate::random::Random;

const FIELDS: usize = 3;
/// The object itself, and two final fields.
const LOCKS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Read { to: usize, field: usize },
    Write { field: usize, from: usize },
    Add { to: usize, one: usize, other: usize },
    Sync { lock: usize, inner: Vec<Step> },
    Wait { lock: usize },
    If { by: usize, yes: Vec<Step>, no: Vec<Step> },
    Loop { by: usize, inner: Vec<Step> },
    Either { to: usize, by: usize, one: usize, other: usize },
    Get { to: usize, helper: usize },
    Set { helper: usize, from: usize },
    Pause { helper: usize },
}

/// Small methods that others call: what they do, under which locks of their own.
#[derive(Clone, Debug)]
struct Helper {
    kind: usize,
    field: usize,
    lock: Option<usize>,
}

/// Kinds of helpers.
const GETTER: usize = 0;
const SETTER: usize = 1;
const WAITER: usize = 2;

struct Maker<'r> {
    random: &'r mut Random,
    next: usize,
    helpers: Vec<Helper>,
    paper: bool,
    room: usize,
    /// Fields that were read.
    read: Vec<usize>,
    /// How many decisions there may be, a loop counting twice.
    decisions: usize,
}

impl Maker<'_> {
    fn reg(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Statements; `known` are registers that have a value, `held` the locks around, the innermost last.
    fn steps(&mut self, known: &mut Vec<usize>, held: &mut Vec<usize>, depth: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        let count = 2 + self.random.below(4);
        for _ in 0..count {
            if self.room == 0 {
                break;
            }
            self.room -= 1;
            let pick = |random: &mut Random, known: &[usize]| known[random.below(known.len())];
            let roll = self.random.below(100);
            match roll {
                0..20 if !held.is_empty() || self.random.percent(20) => {
                    let (to, field) = (self.reg(), self.random.below(FIELDS));
                    steps.push(Step::Read { to, field });
                    self.read.push(field);
                    known.push(to);
                }
                20..34 => {
                    let from = pick(self.random, known);
                    // Often back to where something was read.
                    let field = match self.read.is_empty() || self.random.percent(30) {
                        true => self.random.below(FIELDS),
                        false => self.read[self.random.below(self.read.len())],
                    };
                    steps.push(Step::Write { field, from });
                }
                34..42 => {
                    let (one, other) = (pick(self.random, known), pick(self.random, known));
                    let to = self.reg();
                    steps.push(Step::Add { to, one, other });
                    known.push(to);
                }
                42..66 if depth > 0 => {
                    let lock = self.random.below(LOCKS);
                    held.push(lock);
                    let inner = self.steps(known, held, depth - 1);
                    held.pop();
                    steps.push(Step::Sync { lock, inner });
                }
                66..70 => {
                    if let Some(lock) = held.last() {
                        steps.push(Step::Wait { lock: *lock });
                    }
                }
                70..76 if depth > 0 && self.decisions > 0 => {
                    self.decisions -= 1;
                    let by = pick(self.random, known);
                    let count = known.len();
                    let yes = self.steps(known, held, depth - 1);
                    known.truncate(count);
                    let no = self.steps(known, held, depth - 1);
                    known.truncate(count);
                    steps.push(Step::If { by, yes, no });
                }
                76..79 if depth > 0 && self.decisions > 1 => {
                    self.decisions -= 2;
                    let by = pick(self.random, known);
                    let inner = self.steps(known, held, depth - 1);
                    steps.push(Step::Loop { by, inner });
                }
                79..83 if self.decisions > 0 => {
                    self.decisions -= 1;
                    let by = pick(self.random, known);
                    let (one, other) = (pick(self.random, known), pick(self.random, known));
                    let to = self.reg();
                    steps.push(Step::Either { to, by, one, other });
                    known.push(to);
                }
                83.. => {
                    let helper = self.random.below(self.helpers.len());
                    let (kind, lock) = (self.helpers[helper].kind, self.helpers[helper].lock);
                    match kind {
                        GETTER => {
                            let to = self.reg();
                            steps.push(Step::Get { to, helper });
                            self.read.push(self.helpers[helper].field);
                            known.push(to);
                        }
                        SETTER if !self.paper => {
                            let from = pick(self.random, known);
                            steps.push(Step::Set { helper, from });
                        }
                        // Who waits has to hold the object's own lock, or takes it.
                        WAITER if lock == Some(0) || held.contains(&0) => steps.push(Step::Pause { helper }),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        steps
    }
}

struct Case {
    helpers: Vec<Helper>,
    steps: Vec<Step>,
}

fn make(seed: u64, paper: bool) -> Case {
    let random = &mut Random::new(seed);
    let mut helpers = Vec::new();
    for kind in [GETTER, GETTER, SETTER, SETTER, WAITER] {
        let lock = match kind {
            WAITER => random.percent(50).then_some(0),
            _ => random.percent(70).then(|| random.below(LOCKS)),
        };
        helpers.push(Helper { kind, field: random.below(FIELDS), lock });
    }
    let mut maker = Maker {
        random,
        next: 1,
        helpers,
        paper,
        room: if paper { 14 } else { 26 },
        read: Vec::new(),
        decisions: 5,
    };
    // Register 0 is the parameter.
    let steps = maker.steps(&mut vec![0], &mut Vec::new(), 3);
    Case { steps, helpers: maker.helpers }
}

/// The program as text.
struct Writer {
    text: String,
    labels: usize,
    locks: usize,
}

impl Writer {
    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    /// A register that holds a lock.
    fn lock(&mut self, lock: usize) -> String {
        if lock == 0 {
            return "this".into();
        }
        self.locks += 1;
        let reg = format!("l{}", self.locks);
        self.text += &format!("{reg} = get java.lang.Object S.lock{lock} of this\n");
        reg
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Read { to, field } => self.text += &format!("r{to} = get int S.f{field} of this\n"),
                Step::Write { field, from } => {
                    self.text += &format!("put int S.f{field} of this = r{from}\n")
                }
                Step::Add { to, one, other } => self.text += &format!("r{to} = add r{one}, r{other}\n"),
                Step::Sync { lock, inner } => {
                    let reg = self.lock(*lock);
                    self.text += &format!("enter {reg}\n");
                    self.steps(inner);
                    self.text += &format!("exit {reg}\n");
                }
                Step::Wait { lock } => {
                    let reg = self.lock(*lock);
                    self.text += &format!("call virtual void java.lang.Object.wait()({reg})\n");
                }
                Step::If { by, yes, no } => {
                    let n = self.label();
                    self.text += &format!("if r{by} == 0 then yes{n} else no{n}\nyes{n}:\n");
                    self.steps(yes);
                    self.text += &format!("jump end{n}\nno{n}:\n");
                    self.steps(no);
                    self.text += &format!("jump end{n}\nend{n}:\n");
                }
                Step::Loop { by, inner } => {
                    let n = self.label();
                    self.text += &format!("jump round{n}\nround{n}:\n");
                    self.steps(inner);
                    self.text += &format!("if r{by} == 0 then round{n} else over{n}\nover{n}:\n");
                }
                Step::Either { to, by, one, other } => {
                    let n = self.label();
                    self.text += &format!("if r{by} == 0 then both{n}(r{one}) else both{n}(r{other})\n");
                    self.text += &format!("both{n}(int r{to}):\n");
                }
                Step::Get { to, helper } => {
                    self.text += &format!("r{to} = call special int S.h{helper}()(this)\n");
                }
                Step::Set { helper, from } => {
                    self.text += &format!("call special void S.h{helper}(int)(this, r{from})\n");
                }
                Step::Pause { helper } => self.text += &format!("call special void S.h{helper}()(this)\n"),
            }
        }
    }

    fn helper(&mut self, number: usize, helper: &Helper) {
        let (enter, exit) = match helper.lock {
            Some(lock) => {
                let start = self.text.len();
                let reg = self.lock(lock);
                let got = self.text.split_off(start);
                (format!("{got} enter {reg}\n"), format!("exit {reg}\n"))
            }
            None => (String::new(), String::new()),
        };
        let field = helper.field;
        self.text += &match helper.kind {
            GETTER => format!(
                "method private int h{number}() {{ {enter} v = get int S.f{field} of this {exit} return v }}\n"
            ),
            SETTER => format!(
                "method private void h{number}(int v) {{ {enter} put int S.f{field} of this = v {exit} return }}\n"
            ),
            _ => format!(
                "method private void h{number}() {{ {enter}
                    call virtual void java.lang.Object.wait()(this) {exit} return }}\n"
            ),
        };
    }
}

/// A class of its own for the case.
fn text(case: &Case, class: &str) -> String {
    let mut writer = Writer { text: String::new(), labels: 0, locks: 0 };
    for (number, helper) in case.helpers.iter().enumerate() {
        writer.helper(number, helper);
    }
    writer.text += "method public void work(int r0) {\n";
    writer.steps(&case.steps);
    // Somebody who writes everything, at any time.
    let mut fields = String::new();
    let mut clobber = String::new();
    for field in 0..FIELDS {
        fields += &format!("field int f{field}\n");
        clobber += &format!("put int S.f{field} of this = v\n");
    }
    format!(
        "public class S {{ {fields}
            field private final java.lang.Object lock1
            field private final java.lang.Object lock2
            method public void <init>() {{
                a = new java.lang.Object put java.lang.Object S.lock1 of this = a
                b = new java.lang.Object put java.lang.Object S.lock2 of this = b
                return
            }}
            method public void clobber(int v) {{ {clobber} return }}
            {} return }} }}",
        writer.text
    )
    .replace(" S.", &format!(" {class}."))
    .replace("class S ", &format!("class {class} "))
}

/// Where a value comes from: a read of a field in an execution of a block.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Origin {
    field: usize,
    block: usize,
    /// Told apart from others of the same block.
    read: usize,
}

/// One path through a program.
struct Path<'c> {
    case: &'c Case,
    paper: bool,
    /// Which way each decision goes; those beyond go one way and are noted.
    ways: Vec<bool>,
    decided: usize,
    registers: Vec<BTreeSet<Origin>>,
    /// Lock, how often it is held, the number of the block.
    held: Vec<(usize, usize, usize)>,
    blocks: usize,
    reads: usize,
    /// Which lock each block is of.
    lock_of: Vec<usize>,
    taken: BTreeSet<usize>,
    told: BTreeSet<usize>,
    /// Fields that were looked at again in a block.
    checked: BTreeSet<(usize, usize)>,
    found: BTreeSet<usize>,
}

impl Path<'_> {
    fn is_open(&self, block: usize) -> bool {
        self.held.iter().any(|(_, _, open)| *open == block)
    }

    fn decide(&mut self) -> bool {
        self.decided += 1;
        if self.decided > self.ways.len() {
            self.ways.push(false);
        }
        self.ways[self.decided - 1]
    }

    fn used(&mut self, reg: usize) {
        if !self.paper {
            return;
        }
        let current = self.held.last().map(|held| held.2);
        for origin in self.registers[reg].clone() {
            if Some(origin.block) != current && self.told.insert(origin.read) {
                self.found.insert(origin.field);
            }
        }
        let told = &self.told;
        for register in &mut self.registers {
            register.retain(|origin| !told.contains(&origin.read));
        }
    }

    fn acquire(&mut self, lock: usize) {
        match self.held.iter_mut().find(|held| held.0 == lock) {
            Some(held) => held.1 += 1,
            None => {
                self.held.push((lock, 1, self.blocks));
                self.lock_of.push(lock);
                self.blocks += 1;
            }
        }
    }

    fn release(&mut self, lock: usize) {
        let at = self.held.iter().position(|held| held.0 == lock).expect("held");
        self.held[at].1 -= 1;
        if self.held[at].1 == 0 {
            self.held.remove(at);
        }
    }

    fn wait(&mut self, lock: usize) {
        let new = self.blocks;
        self.blocks += 1;
        self.lock_of.push(lock);
        let held = self.held.iter_mut().find(|held| held.0 == lock).expect("who waits holds it");
        held.2 = new;
    }

    fn read(&mut self, to: usize, field: usize) {
        self.registers[to].clear();
        if let Some((_, _, block)) = self.held.last() {
            self.registers[to].insert(Origin { field, block: *block, read: self.reads });
            self.reads += 1;
        }
    }

    fn write(&mut self, field: usize, values: &BTreeSet<Origin>) {
        let here = self.held.last().map(|held| held.0);
        let is_checked =
            self.checked.iter().any(|(checked, block)| *checked == field && self.is_open(*block));
        for origin in values {
            let beside = here == Some(self.lock_of[origin.block]);
            if !self.paper
                && !self.is_open(origin.block)
                && !self.taken.contains(&origin.read)
                && !is_checked
                && (origin.field == field || beside)
            {
                self.found.insert(origin.field);
            }
        }
        // What is overwritten in the block that read it belongs to the reader.
        let all: Vec<Origin> = self.registers.iter().flatten().cloned().collect();
        for origin in all {
            if origin.field == field && self.is_open(origin.block) {
                self.taken.insert(origin.read);
            }
        }
    }

    fn looked_at(&mut self, reg: usize) {
        let fresh: Vec<Origin> = self.registers[reg]
            .iter()
            .filter(|origin| self.is_open(origin.block) && !self.taken.contains(&origin.read))
            .cloned()
            .collect();
        let old: Vec<Origin> =
            self.registers[reg].iter().filter(|origin| !self.is_open(origin.block)).cloned().collect();
        for origin in &fresh {
            self.checked.insert((origin.field, origin.block));
            // What is compared with it is checked by it.
            self.checked.extend(old.iter().map(|old| (old.field, origin.block)));
        }
    }

    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Read { to, field } => self.read(*to, *field),
                Step::Write { field, from } => {
                    self.used(*from);
                    let values = self.registers[*from].clone();
                    self.write(*field, &values);
                }
                Step::Add { to, one, other } => {
                    self.used(*one);
                    self.used(*other);
                    let both = &self.registers[*one] | &self.registers[*other];
                    self.registers[*to] = both;
                }
                Step::Sync { lock, inner } => {
                    self.acquire(*lock);
                    self.run(inner);
                    self.release(*lock);
                }
                Step::Wait { lock } => self.wait(*lock),
                Step::If { by, yes, no } => {
                    self.used(*by);
                    self.looked_at(*by);
                    if self.decide() { self.run(yes) } else { self.run(no) }
                }
                Step::Loop { by, inner } => {
                    for round in 0..3 {
                        self.run(inner);
                        self.used(*by);
                        self.looked_at(*by);
                        if round == 2 || !self.decide() {
                            break;
                        }
                    }
                }
                Step::Either { to, by, one, other } => {
                    self.used(*by);
                    self.looked_at(*by);
                    let chosen = if self.decide() { *one } else { *other };
                    self.registers[*to] = self.registers[chosen].clone();
                }
                Step::Get { to, helper } => {
                    let helper = &self.case.helpers[*helper];
                    helper.lock.into_iter().for_each(|lock| self.acquire(lock));
                    self.read(*to, helper.field);
                    helper.lock.into_iter().for_each(|lock| self.release(lock));
                }
                Step::Set { helper, from } => {
                    let helper = &self.case.helpers[*helper];
                    let values = self.registers[*from].clone();
                    helper.lock.into_iter().for_each(|lock| self.acquire(lock));
                    self.write(helper.field, &values);
                    helper.lock.into_iter().for_each(|lock| self.release(lock));
                }
                Step::Pause { helper } => {
                    let helper = &self.case.helpers[*helper];
                    helper.lock.into_iter().for_each(|lock| self.acquire(lock));
                    self.wait(0);
                    helper.lock.into_iter().for_each(|lock| self.release(lock));
                }
            }
        }
    }
}

/// The fields of which a stale value is used on some path.
fn judged(case: &Case, paper: bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut ways = Vec::new();
    for _ in 0..20_000 {
        let mut path = Path {
            case,
            paper,
            ways,
            decided: 0,
            registers: vec![BTreeSet::new(); 96],
            held: Vec::new(),
            blocks: 0,
            reads: 0,
            lock_of: Vec::new(),
            taken: BTreeSet::new(),
            told: BTreeSet::new(),
            checked: BTreeSet::new(),
            found: BTreeSet::new(),
        };
        path.run(&case.steps);
        found.extend(path.found);
        ways = path.ways;
        ways.truncate(path.decided);
        // The next path: the last decision that went one way goes the other.
        while ways.pop_if(|way| *way).is_some() {}
        match ways.last_mut() {
            Some(last) => *last = true,
            None => return found,
        }
    }
    panic!("too many paths: {:?}", case.steps)
}

/// The fields that the check tells for each of some cases, which are classes of one program.
fn told(texts: &[String], paper: bool) -> Vec<BTreeSet<usize>> {
    let text = texts.join("\n");
    let program = Program::from_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let code = Code::new(program, Models::builtin().expect("they parse"), World::Guess);
    let options = Options { paper, ..Options::default() };
    let report = check(&code, &[by_name("stale").expect("there")], &options, 1, |_| ());
    let mut all = vec![BTreeSet::new(); texts.len()];
    for found in report.findings() {
        let (class, field) = found.subject.split_once(".f").expect("a field");
        let class: usize = class.strip_prefix('S').expect("a case").parse().expect("a number");
        all[class].insert(field.parse().expect("a number"));
    }
    all
}

/// Compares check and judge on so many programs: with a stale value by the judge, missed, false alarms.
fn compare(paper: bool, count: u64) -> (u64, u64, u64) {
    let (mut positive, mut missed, mut wrong) = (0, 0, 0);
    let mut shown = String::new();
    let seeds: Vec<u64> = (1..=count).collect();
    for seeds in seeds.chunks(250) {
        let cases: Vec<Case> = seeds.iter().map(|seed| make(*seed, paper)).collect();
        let texts: Vec<String> =
            cases.iter().enumerate().map(|(number, case)| text(case, &format!("S{number}"))).collect();
        for (((case, text), by_check), seed) in cases.iter().zip(&texts).zip(told(&texts, paper)).zip(seeds) {
            let by_judge = judged(case, paper);
            positive += u64::from(!by_judge.is_empty());
            missed += u64::from(by_judge.difference(&by_check).next().is_some());
            wrong += u64::from(by_check.difference(&by_judge).next().is_some());
            if by_judge != by_check && shown.len() < 6000 {
                shown += &format!("seed {seed}: judge {by_judge:?}, check {by_check:?}\n{text}\n");
            }
        }
    }
    println!("{shown}\n{positive} positive, {missed} missed, {wrong} wrong of {count}");
    (positive, missed, wrong)
}

#[test]
fn stale_by_the_paper_finds_what_some_path_shows_and_nothing_else() {
    let count = 3000;
    let (positive, missed, wrong) = compare(true, count);
    assert!((count / 5..=count * 4 / 5).contains(&positive), "{positive} of {count} have one");
    assert_eq!((missed, wrong), (0, 0));
}

#[test]
fn stale_finds_what_some_path_shows() {
    let count = 3000;
    let (positive, missed, wrong) = compare(false, count);
    assert!((count / 5..=count * 4 / 5).contains(&positive), "{positive} of {count} have one");
    assert_eq!((missed, wrong), (0, 0));
}
