//! Bodies as text. Registers are `r0`, `r1`, …, the receiver `this`; blocks are `b1`, `b2`, ….

use std::fmt::Write;

use classfile::MethodType;

use super::names::{put_class, put_class_type, put_name, put_parameters, put_quoted, put_result, put_type};
use crate::ir::{
    Argument, Block, BlockId, Body, Caught, Edge, Handle, HandleRef, Inst, Kind, List, Member, Op, Reg, Site,
    Table,
};

/// A register's name.
pub fn put_reg(out: &mut String, reg: Reg, is_static: bool) {
    match reg {
        Reg(0) if !is_static => out.push_str("this"),
        Reg::CAUGHT => out.push_str("caught"),
        Reg(number) => {
            let _ = write!(out, "r{number}");
        }
    }
}

/// All blocks of a body, indented.
pub fn put_body(out: &mut String, table: &Table, body: &Body, is_static: bool) {
    let mut printer = Printer { out, table, body, is_static, pc: None, line: 0 };
    for (id, block) in body.blocks() {
        printer.block(id, block);
    }
}

struct Printer<'p> {
    out: &'p mut String,
    table: &'p Table,
    body: &'p Body,
    is_static: bool,
    /// Pc and line of the instruction before.
    pc: Option<u16>,
    line: u16,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn reg(&mut self, reg: Reg) {
        put_reg(self.out, reg, self.is_static);
    }

    fn regs(&mut self, regs: &[Reg]) {
        self.text("(");
        for (number, reg) in regs.iter().enumerate() {
            if number > 0 {
                self.text(", ");
            }
            self.reg(*reg);
        }
        self.text(")");
    }

    fn list(&mut self, list: List) {
        let body = self.body;
        self.text(" ");
        self.regs(body.list(list));
    }

    fn target(&mut self, edge: &Edge) {
        let body = self.body;
        let _ = write!(self.out, "b{}", edge.target.0);
        if edge.arguments.count > 0 {
            self.regs(body.list(edge.arguments));
        }
    }

    fn block(&mut self, id: BlockId, block: &Block) {
        let body = self.body;
        let catches = body.catches(block);
        if id == BlockId::ENTRY {
            if !catches.is_empty() {
                self.text("    entry");
            }
        } else {
            let _ = write!(self.out, "    b{}", id.0);
            for (number, param) in body.list(block.params).iter().enumerate() {
                self.text(if number == 0 { "(" } else { ", " });
                self.text(body.kind(*param).word());
                self.text(" ");
                self.reg(*param);
            }
            if block.params.count > 0 {
                self.text(")");
            }
        }
        for edge in catches {
            match edge.caught {
                Caught::Any => self.text(" catch any "),
                Caught::Class(class) => {
                    self.text(" catch ");
                    put_class(self.out, self.table.class(class));
                    self.text(" ");
                }
            }
            self.target(edge);
        }
        if id != BlockId::ENTRY || !catches.is_empty() {
            self.text(":\n");
        }
        for inst in body.insts(block) {
            self.inst(block, inst);
        }
    }

    fn inst(&mut self, block: &Block, inst: &Inst) {
        if inst.line != self.line {
            let _ = writeln!(self.out, "        line {}", inst.line);
            self.line = inst.line;
        }
        self.text("        ");
        if inst.result != Reg::NONE {
            self.reg(inst.result);
            self.text(" = ");
        }
        self.op(block, &inst.op);
        let expected = self.pc.map_or(0, |pc| pc.wrapping_add(1));
        if inst.pc != expected {
            let _ = write!(self.out, " @{}", inst.pc);
        }
        self.pc = Some(inst.pc);
        self.text("\n");
    }

    fn field(&mut self, member: Option<Member>) {
        let Some(member) = member else { return };
        let (owner, name, descriptor) = self.table.names(member);
        put_type(self.out, descriptor);
        self.text(" ");
        put_class(self.out, owner);
        self.text(".");
        put_name(self.out, name);
    }

    fn method(&mut self, member: Option<Member>) {
        let Some(member) = member else { return };
        let (owner, name, descriptor) = self.table.names(member);
        let Some(types) = MethodType::parse(descriptor.as_bytes()) else { return };
        put_result(self.out, types);
        self.text(" ");
        put_class(self.out, owner);
        self.text(".");
        put_name(self.out, name);
        put_parameters(self.out, types, |_, _| {});
    }

    fn handle(&mut self, handle: Handle) {
        self.text(handle.kind.word());
        self.text(" ");
        if handle.kind.is_field() {
            self.field(Some(handle.member))
        } else {
            self.method(Some(handle.member))
        }
    }

    fn handle_ref(&mut self, handle: HandleRef) {
        self.text("handle ");
        if let Some(handle) = self.table.handles.get(handle.index()) {
            self.handle(*handle);
        }
    }

    fn site(&mut self, site: &Site, depth: u32) {
        let table = self.table;
        put_quoted(self.out, '"', table.text(site.name));
        self.text(" ");
        put_quoted(self.out, '"', table.text(site.descriptor));
        self.text(" by ");
        self.handle(site.bootstrap);
        self.text(" [");
        for (number, argument) in site.arguments.iter().enumerate() {
            if number > 0 {
                self.text(", ");
            }
            match *argument {
                Argument::Int(value) => drop(write!(self.out, "{value}")),
                Argument::Long(value) => drop(write!(self.out, "{value}L")),
                Argument::Float(bits) => drop(write!(self.out, "float {bits:#x}")),
                Argument::Double(bits) => drop(write!(self.out, "double {bits:#x}")),
                Argument::Text(text) => put_quoted(self.out, '"', table.text(text)),
                Argument::Class(class) => {
                    self.text("class ");
                    put_class_type(self.out, table.class(class));
                }
                Argument::Handle(handle) => self.handle_ref(handle),
                Argument::MethodType(text) => {
                    self.text("type ");
                    put_quoted(self.out, '"', table.text(text));
                }
                Argument::Site(site) => {
                    self.text("dynamic ");
                    // Sites are made of constants that come before them, and nested only so deep.
                    if let Some(site) = table.sites.get(site.index()).filter(|_| depth < 8) {
                        self.site(site, depth + 1);
                    }
                }
            }
        }
        self.text("]");
    }

    fn word_and_reg(&mut self, word: &str, reg: Reg) {
        self.text(word);
        self.text(" ");
        self.reg(reg);
    }

    fn class_type(&mut self, word: &str, class: crate::ir::ClassRef) {
        self.text(word);
        self.text(" ");
        put_class_type(self.out, self.table.class(class));
    }

    fn op(&mut self, block: &Block, op: &Op) {
        let (table, body) = (self.table, self.body);
        match *op {
            Op::Int(value) => drop(write!(self.out, "{value}")),
            Op::Long(value) => drop(write!(self.out, "{value}L")),
            Op::Float(bits) => drop(write!(self.out, "float {bits:#x}")),
            Op::Double(bits) => drop(write!(self.out, "double {bits:#x}")),
            Op::Null => self.text("null"),
            Op::Text(text) => put_quoted(self.out, '"', table.text(text)),
            Op::Class(class) => self.class_type("class", class),
            Op::Handle(handle) => self.handle_ref(handle),
            Op::MethodType(text) => {
                self.text("type ");
                put_quoted(self.out, '"', table.text(text));
            }
            Op::Binary { op, kind, left, right } => {
                let _ = write!(self.out, "{} {} ", op.word(), kind.word());
                self.reg(left);
                self.text(", ");
                self.reg(right);
            }
            Op::Negate { kind, value } => {
                let _ = write!(self.out, "neg {} ", kind.word());
                self.reg(value);
            }
            Op::Convert { op, value } => self.word_and_reg(op.word(), value),
            Op::Get { field, object } => {
                self.text("get ");
                self.field(table.field(field));
                self.word_and_reg(" of", object);
            }
            Op::Put { field, object, value } => {
                self.text("put ");
                self.field(table.field(field));
                self.word_and_reg(" of", object);
                self.word_and_reg(" =", value);
            }
            Op::GetStatic { field } => {
                self.text("getstatic ");
                self.field(table.field(field));
            }
            Op::PutStatic { field, value } => {
                self.text("putstatic ");
                self.field(table.field(field));
                self.word_and_reg(" =", value);
            }
            Op::Load { element, array, index } => self.element("load", element.word(), array, index),
            Op::Store { element, array, index, value } => {
                self.element("store", element.word(), array, index);
                self.word_and_reg(" =", value);
            }
            Op::Length { array } => self.word_and_reg("length", array),
            Op::New(class) => self.class_type("new", class),
            Op::NewArray { class, length } => {
                self.class_type("array", class);
                self.text(" ");
                self.regs(&[length]);
            }
            Op::NewArrays { class, lengths } => {
                self.class_type("arrays", class);
                self.list(lengths);
            }
            Op::Call { kind, method, arguments } => {
                let _ = write!(self.out, "call {} ", kind.word());
                self.method(table.method(method));
                self.list(arguments);
            }
            Op::Closure { closure, captured } => {
                self.text("closure ");
                if let Some(closure) = table.closures.get(closure.index()) {
                    self.method(Some(closure.method));
                    self.text(" by ");
                    self.handle(closure.body);
                }
                self.list(captured);
            }
            Op::Concat { recipe, values } => {
                self.text("concat ");
                put_quoted(self.out, '"', table.text(recipe));
                self.list(values);
            }
            Op::Dynamic { site, arguments } => {
                self.text("dynamic ");
                if let Some(site) = table.sites.get(site.index()) {
                    self.site(site, 0);
                }
                self.list(arguments);
            }
            Op::InstanceOf { class, value } => {
                self.class_type("instanceof", class);
                self.word_and_reg("", value);
            }
            Op::Cast { class, value } => {
                self.class_type("cast", class);
                self.word_and_reg("", value);
            }
            Op::Enter { object } => self.word_and_reg("enter", object),
            Op::Exit { object } => self.word_and_reg("exit", object),
            Op::Return { value: Reg::NONE } => self.text("return"),
            Op::Return { value } => self.word_and_reg("return", value),
            Op::Throw { value } => self.word_and_reg("throw", value),
            Op::Jump => {
                self.text("jump ");
                for edge in body.edges(block) {
                    self.target(edge);
                }
            }
            Op::Branch { condition, left, right } => {
                self.word_and_reg("if", left);
                let _ = write!(self.out, " {} ", condition.word());
                match right {
                    Reg::NONE if body.kind(left) == Kind::Ref => self.text("null"),
                    Reg::NONE => self.text("0"),
                    right => self.reg(right),
                }
                for (word, edge) in [" then ", " else "].into_iter().zip(body.edges(block)) {
                    self.text(word);
                    self.target(edge);
                }
            }
            Op::Switch { value, keys } => {
                self.word_and_reg("switch", value);
                self.text(" { ");
                let (cases, last) = match body.edges(block).split_last() {
                    Some((last, cases)) => (cases, Some(last)),
                    None => (&[][..], None),
                };
                for (key, edge) in body.keys(keys).iter().zip(cases) {
                    let _ = write!(self.out, "{key}: ");
                    self.target(edge);
                    self.text(", ");
                }
                self.text("else: ");
                if let Some(edge) = last {
                    self.target(edge);
                }
                self.text(" }");
            }
        }
    }

    fn element(&mut self, word: &str, element: &str, array: Reg, index: Reg) {
        let _ = write!(self.out, "{word} {element} ");
        self.reg(array);
        self.text("[");
        self.reg(index);
        self.text("]");
    }
}
