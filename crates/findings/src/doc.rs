//! What each rule means, for people who have not read the papers. `raddle explain`, `raddle rules` and the
//! documentation pages come from here; nothing else describes a rule.

use crate::Rule;

/// The documentation of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleDoc {
    /// What a finding is called in a heading: `data race`.
    pub title: &'static str,
    /// The same for several.
    pub titles: &'static str,
    /// The word between title and subject in a heading: data race *on* a field.
    pub joins: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What it is, in a paragraph or two separated by an empty line.
    pub what: &'static str,
    /// What it can do to a program.
    pub why: &'static str,
    /// Java that has it.
    pub bad: &'static str,
    /// The same without it.
    pub good: &'static str,
    /// How to get from the one to the other, the usual way first.
    pub fix: &'static str,
    /// How it is found, and what that means for how far to trust it.
    pub found: &'static str,
}

/// What a detector says of itself; this crate knows none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DetectorDoc {
    /// Its name.
    pub name: &'static str,
    /// One line: how it finds what it finds.
    pub about: &'static str,
    /// The rules it reports.
    pub rules: &'static [Rule],
}

impl Rule {
    /// Its documentation.
    pub fn doc(self) -> &'static RuleDoc {
        match self {
            Rule::DataRace => &DATA_RACE,
            Rule::HighLevelRace => &HIGH_LEVEL_RACE,
            Rule::StaleValue => &STALE_VALUE,
            Rule::NonAtomic => &NON_ATOMIC,
            Rule::LockOrder => &LOCK_ORDER,
        }
    }
}

static DATA_RACE: RuleDoc = RuleDoc {
    title: "data race",
    titles: "data races",
    joins: "on",
    summary: "Two threads use one variable at the same time, and at least one of them writes it.",
    what: "A field, static field or array element is used by two threads, at least one of them writes it, and \
           nothing keeps the two apart: they hold no lock in common, and neither waits for the other through \
           start(), join(), a volatile variable, a latch, a queue or the like.",
    why: "Updates get lost: two threads read 100, both add 10, both store 110. A reader may see a value that is \
          half new and half old (long and double), an object before its constructor has filled it, or an old \
          value for ever, because the compiler may keep it in a register. Such errors come and go with the \
          machine, the load and the JIT compiler, and are rarely seen under a debugger.",
    bad: "class Account {
    private int balance;

    void deposit(int amount) {
        balance += amount;          // read, add, write: no lock
    }
}",
    good: "class Account {
    private int balance;

    synchronized void deposit(int amount) {
        balance += amount;          // every use holds the account's lock
    }
}",
    fix: "Choose one lock for the variable and hold it at every use, reads included. For a counter or a flag that \
         stands alone, an AtomicInteger, AtomicReference or a volatile field is enough (volatile does not make \
         += whole). Best of all, do not share: give each thread its own object, or make it immutable with final \
         fields.",
    found: "Either by the locks (no lock is held at every use: finds races that did not happen in this run, and may \
            be wrong where something other than a lock keeps the threads apart), or by the order of the events \
            (these two uses really were unordered in this run: never wrong, but misses what this run did not show).",
};

static HIGH_LEVEL_RACE: RuleDoc = RuleDoc {
    title: "high-level data race",
    titles: "high-level data races",
    joins: "on",
    summary: "Fields that one thread uses together under a lock are used one at a time by another.",
    what: "Some code takes a lock and reads or writes several fields together, as one value: both coordinates of a \
           point, a list and its size. Other code takes the same lock, uses one of the fields, gives the lock up, \
           takes it again and uses the other. Each single access is protected, so this is no data race; but the \
           fields are not treated as belonging together everywhere.",
    why: "Between the two locked sections another thread can change all of them. The code then works with x of the \
          old point and y of the new one: a value that never existed.",
    bad: "synchronized void setXY(double x, double y) { this.x = x; this.y = y; }
synchronized double getX() { return x; }
synchronized double getY() { return y; }

// elsewhere
draw(point.getX(), point.getY());   // x of one point, y of another",
    good: "synchronized double[] getXY() { return new double[] { x, y }; }

// elsewhere
double[] xy = point.getXY();        // both at once
draw(xy[0], xy[1]);",
    fix: "Use the fields that belong together in one locked section: add a method that reads (or sets) all of them, \
         or put them into one immutable object and share the reference. If they do not belong together, the finding \
         can be ignored: nothing in the program says which fields do, Raddle concludes it from their use.",
    found: "By comparing the sets of fields that each thread uses within one locked section (\"views\"). It is a \
            conclusion about intent, so it can be wrong where a part of the value is all that the code needs.",
};

static STALE_VALUE: RuleDoc = RuleDoc {
    title: "stale value",
    titles: "stale values",
    joins: "of",
    summary: "A value read under a lock is used after the lock was given up.",
    what: "Shared data is read under a lock and kept in a local variable; the lock is given up; then the local \
           variable is used as if it still told the state of the shared data.",
    why: "Another thread can change the data as soon as the lock is free. What is decided or written on the strength \
          of the old value can overwrite an update or act on something that is no longer there.",
    bad: "int old;
synchronized (lock) { old = counter; }
int next = old + 1;                 // another thread may count now
synchronized (lock) { counter = next; }",
    good: "synchronized (lock) {
    counter = counter + 1;
}",
    fix: "Keep the lock from the read to the last use of the value; or, after taking the lock again, read it again and \
         check that it is still what the decision was based on.",
    found: "By following the value from the read to its uses and comparing the locked sections in which they happen. The \
         code shows where that is possible; raddle run --check watches those places, and says whether another thread wrote \
         in between.",
};

static NON_ATOMIC: RuleDoc = RuleDoc {
    title: "non-atomic block",
    titles: "non-atomic blocks",
    joins: "",
    summary: "A method or block that should happen as a whole can be interrupted half-way by another thread.",
    what: "A method (or block) is atomic if it always has the same effect as if no other thread ran while it runs. \
           Here a method that looks as if it should be atomic (usually because it is synchronized) is not: after \
           the point at which others can see a part of its effect, it does something else that others can \
           disturb.\n\n\
           The usual pattern: the method takes a lock, gives it up and takes it again. In between, another thread \
           can change what the first part relied on.",
    why: "The code is written as if nothing could happen between its lines. It breaks when something does: checks \
          that no longer hold, lengths that no longer fit, two updates of which only one is seen. No data race is \
          needed for that: every single access can be under its proper lock.",
    bad: "synchronized StringBuffer append(StringBuffer sb) {
    int len = sb.length();          // takes and gives up the lock of sb
                                    // another thread may shorten sb now
    sb.getChars(0, len, value, count);
    ...
}",
    good: "synchronized StringBuffer append(StringBuffer sb) {
    synchronized (sb) {             // nobody changes sb until the end
        int len = sb.length();
        sb.getChars(0, len, value, count);
    }
    ...
}",
    fix: "Hold the lock over the whole operation (take it before the first use and give it up after the last), and \
         make sure that every shared variable that the block uses is protected. If the block need not be atomic, \
         leave it out of the blocks that are checked.",
    found: "Either by reduction (operations are sorted into those that can be moved past other threads' operations \
            and those that cannot; finds blocks that could be interrupted, and may be wrong where the protection \
            is not a lock), or by looking for a real interleaving in this run that no one-after-the-other order \
            explains (never wrong for this run, but it has to have happened).",
};

static LOCK_ORDER: RuleDoc = RuleDoc {
    title: "lock-order cycle",
    titles: "lock-order cycles",
    joins: "between",
    summary: "Threads take the same locks in different orders, and can block each other for ever.",
    what: "One thread takes lock A and, holding it, lock B. Another takes B and, holding it, A. If both get their \
           first lock before either gets its second, each waits for the other: a deadlock. The cycle can also go \
           through three or more locks.",
    why: "The program, or a part of it, stops and never goes on. It may take months and a loaded machine until the \
          two threads meet at just the wrong moment; this run got through, the next need not.",
    bad: "void transfer(Account from, Account to, int amount) {
    synchronized (from) {
        synchronized (to) {         // transfer(a, b), transfer(b, a)
            from.balance -= amount;
            to.balance += amount;
        }
    }
}",
    good: "void transfer(Account from, Account to, int amount) {
    Account first = from.id < to.id ? from : to;
    Account second = first == from ? to : from;
    synchronized (first) {
        synchronized (second) {     // always in the order of the ids
            from.balance -= amount;
            to.balance += amount;
        }
    }
}",
    fix: "Take the locks in one order everywhere: by a number that every object has, or by a fixed rank of classes. \
         Or hold only one lock at a time, or take one outer lock before both, or use tryLock() with a time-out and \
         give the first lock up when the second cannot be had.",
    found: "By drawing an arrow from each lock held to the lock taken while it is held, and looking for cycles that \
            different threads make and that no common outer lock and no start() or join() rules out. The deadlock \
            need not have happened.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_documented_in_every_part() {
        for rule in Rule::ALL {
            let doc = rule.doc();
            for part in
                [doc.title, doc.titles, doc.summary, doc.what, doc.why, doc.bad, doc.good, doc.fix, doc.found]
            {
                assert!(!part.trim().is_empty(), "{} has an empty part", rule.name());
            }
            assert!(doc.summary.ends_with('.') && !doc.summary.contains('\n'));
            for line in doc.bad.lines().chain(doc.good.lines()) {
                assert!(line.len() <= 76, "too long to show in 80 columns: {line}");
            }
        }
    }
}
