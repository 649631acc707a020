//! A walk over a method's blocks until nothing new comes up: what somebody wants to know of each local and each slot of the
//! stack, where blocks begin. Knows ways, handlers and limits; what instructions do, and what two ways that meet make of
//! a value, is for the caller.

use classfile::{Code, Instruction};

use crate::blocks::{Graph, Way};
use crate::stack::Stack;

/// Words of state for one method.
const MOST_STATE: usize = 200_000;

/// What is known of a slot. The default is what is known of one of which nobody has said anything.
pub(crate) trait Known: Copy + Default {
    /// Takes in what is known on another way here; is it something else now? It must come to an end.
    fn meet(&mut self, other: Self) -> bool;
}

/// What is known at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State<V> {
    pub locals: Vec<V>,
    pub stack: Stack<V>,
}

impl<V: Known> State<V> {
    /// `None`: the two do not fit together.
    fn meet(&mut self, other: &State<V>) -> Option<bool> {
        if self.stack.slots().len() != other.stack.slots().len() {
            return None;
        }
        let changed = meet_all(&mut self.locals, &other.locals);
        Some(meet_all(self.stack.slots_mut(), other.stack.slots()) || changed)
    }
}

fn meet_all<V: Known>(mine: &mut [V], others: &[V]) -> bool {
    let mut changed = false;
    for (mine, other) in mine.iter_mut().zip(others) {
        changed |= mine.meet(*other);
    }
    changed
}

/// Whoever knows what instructions do.
pub(crate) trait Steps {
    type Value: Known;

    fn step(&mut self, pc: u32, instruction: &Instruction<'_>, state: &mut State<Self::Value>);
}

/// The way over one method.
pub(crate) struct Walk<'g, 'c> {
    graph: &'g Graph<'c>,
    locals: usize,
    steps: usize,
    most_steps: usize,
}

impl<'g, 'c> Walk<'g, 'c> {
    /// `most_steps`: instructions that are looked at, those in loops again. `None`: the method is too large.
    pub fn new(graph: &'g Graph<'c>, code: &Code<'_>, most_steps: usize) -> Option<Walk<'g, 'c>> {
        let locals = usize::from(code.max_locals);
        let words = graph.blocks.len() * (locals + usize::from(code.max_stack));
        (words <= MOST_STATE).then_some(Walk { graph, locals, steps: 0, most_steps })
    }

    /// From now on as many steps as at first.
    pub fn start_again(&mut self) {
        self.steps = 0;
    }

    /// What is known where blocks begin, if they are reached. `None`: it would take too long, or the code is not what it
    /// should be.
    pub fn states<S: Steps>(&mut self, steps: &mut S) -> Option<Vec<Option<State<S::Value>>>> {
        let mut states: Vec<Option<State<S::Value>>> = vec![None; self.graph.blocks.len()];
        let first = State { locals: vec![S::Value::default(); self.locals], stack: Stack::default() };
        *states.first_mut()? = Some(first);
        let mut todo = vec![0];
        while let Some(block) = todo.pop() {
            let state = states.get(block)?.clone()?;
            for (to, reached) in self.block(block, state, steps)? {
                let place = states.get_mut(to)?;
                let changed = match place {
                    Some(known) => known.meet(&reached)?,
                    None => {
                        *place = Some(reached);
                        true
                    }
                };
                if changed && !todo.contains(&to) {
                    todo.push(to);
                }
            }
        }
        Some(states)
    }

    /// Runs every block once more, from what is known where it begins.
    pub fn again<S: Steps>(&mut self, states: Vec<Option<State<S::Value>>>, steps: &mut S) -> Option<()> {
        for (block, state) in states.into_iter().enumerate() {
            if let Some(state) = state {
                self.block(block, state, steps)?;
            }
        }
        Some(())
    }

    /// Runs a block; where control goes from it, with what is known there.
    fn block<S: Steps>(
        &mut self,
        block: usize,
        mut state: State<S::Value>,
        steps: &mut S,
    ) -> Option<Vec<(usize, State<S::Value>)>> {
        let found = self.graph.blocks.get(block)?;
        let instructions = self.graph.steps.get(found.first..found.behind)?;
        self.steps += instructions.len() + 1;
        if self.steps > self.most_steps {
            return None;
        }
        // A handler may be reached from every instruction.
        let catches = found.out.iter().any(|edge| edge.way == Way::Thrown);
        let mut thrown = if catches { state.locals.clone() } else { Vec::new() };
        for (pc, instruction) in instructions {
            steps.step(*pc, instruction, &mut state);
            if catches && matches!(instruction, Instruction::Store { .. }) {
                meet_all(&mut thrown, &state.locals);
            }
        }
        let reached = found.out.iter().map(|edge| {
            let state = match edge.way {
                Way::Thrown => {
                    State { locals: thrown.clone(), stack: Stack::from(vec![S::Value::default()]) }
                }
                _ => state.clone(),
            };
            (edge.to, state)
        });
        Some(reached.collect())
    }
}
