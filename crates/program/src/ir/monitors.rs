//! Which monitors are held where: a fact about a body, not a rule. Compilers pair `enter` and `exit`; code made by hand
//! need not. Locks of `java.util.concurrent` are calls, and models say what they mean: not here.

use super::{Block, BlockId, Body, Op, Reg, Values};

/// A monitor that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The object.
    pub object: Reg,
    /// The `enter`: its index among the body's instructions.
    pub enter: u32,
}

/// The monitors held at the start of each block, the outermost first.
#[derive(Clone, Debug)]
pub struct Monitors {
    /// `None` where paths with different monitors meet, where nothing leads, or after an `exit` without its `enter`.
    starts: Vec<Option<Vec<Held>>>,
    structured: bool,
}

/// Deeper nesting is not followed.
const DEEPEST: usize = 64;

impl Monitors {
    /// Follows the monitors of a body.
    pub fn new(body: &Body, values: &Values) -> Monitors {
        let count = body.blocks.len();
        let mut found = Monitors { starts: vec![None; count], structured: true };
        let mut seen = vec![false; count];
        // Blocks whose monitors are known; a second, different answer makes a block unknown, which is then final.
        let mut work = vec![BlockId::ENTRY];
        if let (Some(start), Some(seen)) = (found.starts.first_mut(), seen.first_mut()) {
            *start = Some(Vec::new());
            *seen = true;
        }
        while let Some(id) = work.pop() {
            let block = body.block(id);
            let start = found.starts.get(id.index()).cloned().flatten();
            let end = start.clone().and_then(|held| found.walk(body, values, &block, held));
            if start.is_some() && end.is_none() {
                found.structured = false;
            }
            let normal = body.edges(&block).iter().map(|edge| (edge.target, &end));
            let thrown = body.catches(&block).iter().map(|edge| (edge.target, &start));
            for (target, state) in normal.chain(thrown) {
                let (Some(place), Some(seen)) =
                    (found.starts.get_mut(target.index()), seen.get_mut(target.index()))
                else {
                    continue;
                };
                if !std::mem::replace(seen, true) {
                    place.clone_from(state);
                    work.push(target);
                } else if place.is_some() && place != state {
                    *place = None;
                    found.structured = false;
                    work.push(target);
                }
            }
        }
        found
    }

    /// What is held after a block.
    fn walk(&self, body: &Body, values: &Values, block: &Block, mut held: Vec<Held>) -> Option<Vec<Held>> {
        for (inst, at) in body.insts(block).iter().zip(block.insts.start..) {
            step(&mut held, &inst.op, at, values)?;
        }
        Some(held)
    }

    /// What is held where a block starts; `None` if it is not known.
    pub fn at(&self, block: BlockId) -> Option<&[Held]> {
        self.starts.get(block.index())?.as_deref()
    }

    /// Do `enter` and `exit` pair up on every path?
    pub fn is_structured(&self) -> bool {
        self.structured
    }
}

/// What is held after an instruction; `None` for an `exit` that fits no `enter`.
fn step(held: &mut Vec<Held>, op: &Op, at: u32, values: &Values) -> Option<()> {
    match *op {
        Op::Enter { object } if held.len() < DEEPEST => held.push(Held { object, enter: at }),
        Op::Enter { .. } => return None,
        Op::Exit { object } => {
            let last = held.iter().rposition(|monitor| values.same(monitor.object, object))?;
            held.remove(last);
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse_class;

    fn monitors(text: &str) -> Monitors {
        let text = format!("class A {{ method void m(A o, int x) {{ {text} }} }}");
        let class = parse_class(&text).expect("a class");
        let body = class.method("m").and_then(|m| m.body()).expect("a body");
        let values = Values::new(body, &class.table, |_| false);
        Monitors::new(body, &values)
    }

    fn depths(found: &Monitors, count: u32) -> Vec<Option<usize>> {
        (0..count).map(|block| found.at(BlockId(block)).map(<[Held]>::len)).collect()
    }

    #[test]
    fn a_monitor_is_held_from_enter_to_exit_and_in_the_handler() {
        let found = monitors(
            "enter o
             jump inside
             inside catch any wrong(caught): call static void A.f()() jump last
             last: p = cast A o exit p jump out
             wrong(ref e): exit o throw e
             out: return",
        );
        assert!(found.is_structured());
        assert_eq!(depths(&found, 5), [Some(0), Some(1), Some(1), Some(1), Some(0)]);
        assert_eq!(found.at(BlockId(1)), Some(&[Held { object: Reg(1), enter: 0 }][..]));
    }

    #[test]
    fn paths_with_different_monitors_and_exits_without_enter_are_told() {
        let found = monitors("if x == 0 then a else b  a: enter o jump b  b: return");
        assert!(!found.is_structured());
        assert_eq!(depths(&found, 3), [Some(0), Some(0), None]);
        assert!(!monitors("exit o return").is_structured());
        let found = monitors("jump a  a: enter o if x == 0 then a else b  b: return");
        assert!(!found.is_structured());
        assert_eq!(depths(&found, 3), [Some(0), None, None]);
    }
}
