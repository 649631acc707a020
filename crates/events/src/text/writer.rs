//! Writes the text form. What it writes reads back as the same events by name.
//!
//! Two things are not written because they say nothing: symbols that nothing mentions, and the example stack of a site
//! that has its exact callers already.

use std::io::{self, Write};

use super::{HEADER, show};
use crate::{Event, FlowKind, Gap, Mode, Op, Symbols};

/// Writes a trace as text, batch by batch.
pub struct Writer<W: Write> {
    out: W,
    text: String,
    /// How many rows of these tables have been looked at.
    fields: usize,
    flows: usize,
    stacks: usize,
}

impl<W: Write> Writer<W> {
    /// A writer that has written the first line.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self { out, text: String::new(), fields: 0, flows: 0, stacks: 0 })
    }

    /// Writes the next events, and the directives they need.
    pub fn batch(&mut self, events: &[Event], symbols: &Symbols) -> io::Result<()> {
        self.directives(symbols);
        for event in events {
            write_event(&mut self.text, event, symbols);
            if self.text.len() >= 1 << 16 {
                self.out.write_all(self.text.as_bytes())?;
                self.text.clear();
            }
        }
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Writes what is missing from the trace and gives the output back.
    pub fn finish(mut self, gaps: &[Gap], symbols: &Symbols) -> io::Result<W> {
        self.directives(symbols);
        for gap in gaps {
            self.text.push_str("!gap ");
            show::name(&mut self.text, &gap.what, &[]);
            self.text.push(' ');
            show::name(&mut self.text, &gap.why, &[]);
            self.text.push_str(&format!(" {}\n", gap.count));
        }
        self.out.write_all(self.text.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Says what is new in the tables since the last time.
    fn directives(&mut self, symbols: &Symbols) {
        let out = &mut self.text;
        for (id, field) in symbols.fields.iter().skip(self.fields) {
            if field.is_final {
                out.push_str("!final ");
                show::field(out, symbols, id);
                out.push('\n');
            }
        }
        self.fields = symbols.fields.len();
        for (id, flow) in symbols.flows.iter().skip(self.flows) {
            out.push_str(&format!("!flow {} ", id.0));
            if flow.kind != FlowKind::default() {
                out.push_str(flow.kind.word());
                out.push(' ');
            }
            out.push_str("@ ");
            show::place(out, symbols, flow.from);
            out.push_str(" > ");
            show::place(out, symbols, flow.to);
            out.push('\n');
        }
        self.flows = symbols.flows.len();
        for stack in &symbols.stacks.rows()[self.stacks..] {
            if symbols.sites.get(stack.site).caller.is_some() {
                continue;
            }
            out.push_str("!stack ");
            show::name(out, symbols.str(symbols.threads.get(stack.thread).name), &[]);
            out.push_str(" @ ");
            show::site(out, symbols, stack.site);
            for &caller in &stack.callers {
                out.push_str(" < ");
                show::site(out, symbols, caller);
            }
            out.push('\n');
        }
        self.stacks = symbols.stacks.len();
    }
}

fn write_event(out: &mut String, event: &Event, symbols: &Symbols) {
    let thread = |out: &mut String, id| show::name(out, symbols.str(symbols.threads.get(id).name), &[]);
    thread(out, event.thread);
    out.push(' ');
    out.push_str(verb(event.op));
    if !matches!(event.op, Op::Start | Op::End) {
        out.push(' ');
    }
    match event.op {
        Op::Read { var }
        | Op::Write { var }
        | Op::VolatileRead { var, .. }
        | Op::VolatileWrite { var, .. } => show::variable(out, symbols, var),
        Op::Acquire { lock, .. }
        | Op::Release { lock, .. }
        | Op::Reenter { lock }
        | Op::Reexit { lock }
        | Op::Wait { lock }
        | Op::Woken { lock } => show::lock(out, symbols, lock),
        Op::Signal { on } | Op::Observe { on } => {
            show::name(out, symbols.str(symbols.channels.get(on).name), &[]);
        }
        Op::Fork { child } | Op::Join { child } => thread(out, child),
        Op::Start | Op::End => {}
        Op::Begin { block } | Op::Finish { block } => {
            show::name(out, symbols.str(symbols.blocks.get(block).name), &[]);
        }
        Op::Freeze { object } | Op::Free { object } => show::object(out, symbols, object),
        Op::Mark { text } => show::name(out, symbols.str(text), &[]),
        Op::Flow { flow, .. } => out.push_str(&flow.0.to_string()),
    }
    match event.op {
        Op::Acquire { mode: Mode::Read, .. }
        | Op::Release { mode: Mode::Read, .. }
        | Op::Flow { used: false, .. } => out.push_str(" read"),
        Op::VolatileRead { update: true, .. } | Op::VolatileWrite { update: true, .. } => {
            out.push_str(" update")
        }
        _ => {}
    }
    if matches!(event.op, Op::Acquire { tries: true, .. }) {
        out.push_str(" tries");
    }
    out.push_str(" @ ");
    show::place(out, symbols, event.site);
    out.push('\n');
}

fn verb(op: Op) -> &'static str {
    match op {
        Op::Read { .. } => "read",
        Op::Write { .. } => "write",
        Op::VolatileRead { .. } => "vread",
        Op::VolatileWrite { .. } => "vwrite",
        Op::Acquire { .. } => "acquire",
        Op::Release { .. } => "release",
        Op::Reenter { .. } => "reenter",
        Op::Reexit { .. } => "reexit",
        Op::Wait { .. } => "wait",
        Op::Woken { .. } => "woken",
        Op::Signal { .. } => "signal",
        Op::Observe { .. } => "observe",
        Op::Fork { .. } => "fork",
        Op::Join { .. } => "join",
        Op::Start => "start",
        Op::End => "end",
        Op::Begin { .. } => "begin",
        Op::Finish { .. } => "finish",
        Op::Freeze { .. } => "freeze",
        Op::Free { .. } => "free",
        Op::Mark { .. } => "mark",
        Op::Flow { .. } => "flow",
    }
}
