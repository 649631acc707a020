//! Text to bodies. Registers are numbered in the order of their definitions, blocks in the order of the text.

use rustc_hash::FxHashMap;

use super::lexer::{Lexer, Result, Token};
use super::parse::{Tables, class_name, class_type, field, handle, method};
use crate::ir::{
    Argument, Binary, Block, BlockId, Body, CallKind, Caught, Closure, Condition, Convert, Edge, Element,
    Inst, Kind, List, Op, Reg, Site,
};

/// The rest of a body, after its `{`.
pub fn parse_body(lexer: &mut Lexer<'_>, tables: &mut Tables, params: &[(String, String)]) -> Result<Body> {
    let mut parser = Parser {
        tables,
        body: Body::default(),
        regs: FxHashMap::default(),
        blocks: FxHashMap::default(),
        names: Vec::new(),
        defined: Vec::new(),
        order: vec![0],
        open: Block::default(),
        caught: Vec::new(),
        pc: None,
        line: 0,
    };
    let mut entry = Vec::new();
    for (descriptor, name) in params {
        entry.push(parser.define(lexer, name, crate::ir::kind_of(descriptor).unwrap_or(Kind::Ref))?);
    }
    parser.open.params = parser.body.add_list(&entry);
    parser.block_number("entry");
    parser.defined = vec![true];
    if lexer.peek_word() == Some("entry") {
        lexer.advance()?;
        parser.catches(lexer)?;
    }
    while !lexer.take("}")? {
        parser.statement(lexer)?;
    }
    parser.close(lexer)?;
    if let Some(number) = parser.defined.iter().position(|defined| !defined) {
        let name = parser.names.get(number).map_or("", String::as_str);
        return lexer.wrong(format!("there is no block `{name}`"));
    }
    // Blocks were numbered as they were named; their order is that of the text.
    Ok(parser.in_order())
}

struct Parser<'p> {
    tables: &'p mut Tables,
    body: Body,
    regs: FxHashMap<String, Reg>,
    /// Blocks by name, numbered as they are first named.
    blocks: FxHashMap<String, u32>,
    names: Vec<String>,
    defined: Vec<bool>,
    /// The blocks' numbers in the order of the text.
    order: Vec<u32>,
    /// The block that is being read, and its catch edges.
    open: Block,
    caught: Vec<(Caught, BlockId, Vec<String>)>,
    pc: Option<u16>,
    line: u16,
}

/// Words that start a statement.
const STATEMENTS: &[&str] = &[
    "put",
    "putstatic",
    "store",
    "enter",
    "exit",
    "call",
    "return",
    "throw",
    "jump",
    "if",
    "switch",
    "line",
    "dynamic",
    "concat",
];

impl Parser<'_> {
    fn define(&mut self, lexer: &Lexer<'_>, name: &str, kind: Kind) -> Result<Reg> {
        let reg = self.body.add_reg(kind);
        if self.regs.insert(name.to_owned(), reg).is_some() {
            return lexer.wrong(format!("register `{name}` is defined twice"));
        }
        Ok(reg)
    }

    fn reg(&mut self, lexer: &mut Lexer<'_>) -> Result<Reg> {
        let name = lexer.word("a register")?;
        match self.regs.get(name) {
            Some(reg) => Ok(*reg),
            None if name == "caught" => Ok(Reg::CAUGHT),
            None => lexer.wrong(format!("register `{name}` is not defined above")),
        }
    }

    fn regs(&mut self, lexer: &mut Lexer<'_>) -> Result<List> {
        let mut found = Vec::new();
        lexer.listed("(", ")", |lexer| {
            found.push(self.reg(lexer)?);
            Ok(())
        })?;
        Ok(self.body.add_list(&found))
    }

    fn block_number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.blocks.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.defined.push(false);
        self.blocks.insert(name.to_owned(), number);
        number
    }

    fn target(&mut self, lexer: &mut Lexer<'_>, caught: Caught) -> Result<Edge> {
        let name = lexer.word("a block")?;
        let target = BlockId(self.block_number(name));
        let arguments = if *lexer.peek() == Token::Sign("(") { self.regs(lexer)? } else { List::default() };
        Ok(Edge { target, arguments, caught })
    }

    fn add_edges(&mut self, edges: &[Edge]) -> List {
        let start = self.body.edges.len() as u32;
        self.body.edges.extend_from_slice(edges);
        List { start, count: edges.len() as u32 }
    }

    /// The catch edges of a block and the colon after them. Their arguments may be defined in the block, so they are
    /// looked up at its end.
    fn catches(&mut self, lexer: &mut Lexer<'_>) -> Result<()> {
        while lexer.take("catch")? {
            let caught = match class_name(lexer)?.as_str() {
                "any" => Caught::Any,
                name => Caught::Class(self.tables.class(name)),
            };
            let target = BlockId(self.block_number(lexer.word("a block")?));
            let mut names = Vec::new();
            if *lexer.peek() == Token::Sign("(") {
                lexer.listed("(", ")", |lexer| {
                    names.push(lexer.word("a register")?.to_owned());
                    Ok(())
                })?;
            }
            self.caught.push((caught, target, names));
        }
        lexer.expect(":")
    }

    fn close_catches(&mut self, lexer: &Lexer<'_>) -> Result<()> {
        let mut edges = Vec::new();
        for (caught, target, names) in std::mem::take(&mut self.caught) {
            let mut regs = Vec::new();
            for name in &names {
                match self.regs.get(name) {
                    Some(reg) => regs.push(*reg),
                    None if name == "caught" => regs.push(Reg::CAUGHT),
                    None => return lexer.wrong(format!("register `{name}` of a catch is not defined")),
                }
            }
            edges.push(Edge { target, arguments: self.body.add_list(&regs), caught });
        }
        self.open.catches = self.add_edges(&edges);
        Ok(())
    }

    /// Ends the block that is being read.
    fn close(&mut self, lexer: &Lexer<'_>) -> Result<()> {
        self.open.insts.count = self.body.insts.len() as u32 - self.open.insts.start;
        let ended = self.body.insts.last().is_some_and(|inst| inst.op.is_end());
        if self.open.insts.count == 0 || !ended {
            return lexer.wrong("the block before ends without `return`, `throw`, `jump`, `if` or `switch`");
        }
        self.close_catches(lexer)?;
        let start = self.body.insts.len() as u32;
        self.body.blocks.push(std::mem::take(&mut self.open));
        self.open.insts.start = start;
        Ok(())
    }

    fn statement(&mut self, lexer: &mut Lexer<'_>) -> Result<()> {
        let Some(word) = lexer.peek_word() else {
            return lexer.unexpected("a statement");
        };
        if word == "line" {
            lexer.advance()?;
            self.line = lexer.number("a line's number")?;
            return Ok(());
        }
        let line = if self.line == 0 { lexer.number_of_next() } else { self.line };
        let mut result = None;
        if !STATEMENTS.contains(&word) {
            lexer.advance()?;
            if !lexer.take("=")? {
                return self.block(lexer, word);
            }
            result = Some(word);
        }
        if self.body.insts.len() as u32 > self.open.insts.start
            && self.body.insts.last().is_some_and(|inst| inst.op.is_end())
        {
            return lexer.wrong("nothing may follow the end of a block but another block");
        }
        let op = self.operation(lexer)?;
        let kind = crate::ir::result_kind(&self.tables.table, &op);
        let result = match (result, kind) {
            (Some(name), Some(kind)) => self.define(lexer, name, kind)?,
            (Some(_), None) => return lexer.wrong("this operation has no result"),
            (None, _) => Reg::NONE,
        };
        let pc =
            if lexer.take("@")? { lexer.number("a pc")? } else { self.pc.map_or(0, |pc| pc.wrapping_add(1)) };
        self.pc = Some(pc);
        self.body.insts.push(Inst { op, result, pc, line });
        Ok(())
    }

    /// The head of a block whose name has been read.
    fn block(&mut self, lexer: &mut Lexer<'_>, name: &str) -> Result<()> {
        self.close(lexer)?;
        let number = self.block_number(name);
        if self.defined.get(number as usize).copied().unwrap_or(true) {
            return lexer.wrong(format!("block `{name}` is there twice"));
        }
        if let Some(defined) = self.defined.get_mut(number as usize) {
            *defined = true;
        }
        self.order.push(number);
        let mut params = Vec::new();
        if *lexer.peek() == Token::Sign("(") {
            lexer.listed("(", ")", |lexer| {
                let word = lexer.word("a kind")?;
                let Some(kind) = Kind::from_word(word) else {
                    return lexer.wrong(format!("`{word}` is none of int, long, float, double, ref"));
                };
                let name = lexer.word("a register")?;
                params.push(self.define(lexer, name, kind)?);
                Ok(())
            })?;
        }
        self.open.params = self.body.add_list(&params);
        self.catches(lexer)
    }

    /// The body with blocks numbered by their order in the text.
    fn in_order(mut self) -> Body {
        let mut place = vec![0u32; self.names.len()];
        for (position, number) in self.order.iter().enumerate() {
            if let Some(place) = place.get_mut(*number as usize) {
                *place = position as u32;
            }
        }
        for edge in &mut self.body.edges {
            edge.target = BlockId(place.get(edge.target.index()).copied().unwrap_or_default());
        }
        self.body
    }

    fn kind(&self, lexer: &mut Lexer<'_>) -> Result<Kind> {
        match lexer.peek_word().and_then(Kind::from_word) {
            Some(kind) => {
                lexer.advance()?;
                Ok(kind)
            }
            None => Ok(Kind::Int),
        }
    }

    fn assigned(&mut self, lexer: &mut Lexer<'_>) -> Result<Reg> {
        lexer.expect("=")?;
        self.reg(lexer)
    }

    fn element(&mut self, lexer: &mut Lexer<'_>) -> Result<(Element, Reg, Reg)> {
        let word = lexer.word("what the elements are")?;
        let Some(element) = Element::from_word(word) else {
            return lexer.wrong(format!("`{word}` is no kind of element"));
        };
        let array = self.reg(lexer)?;
        lexer.expect("[")?;
        let index = self.reg(lexer)?;
        lexer.expect("]")?;
        Ok((element, array, index))
    }

    fn class_and_reg(&mut self, lexer: &mut Lexer<'_>) -> Result<(crate::ir::ClassRef, Reg)> {
        let class = class_type(lexer)?;
        Ok((self.tables.class(&class), self.reg(lexer)?))
    }

    fn site(&mut self, lexer: &mut Lexer<'_>, depth: u32) -> Result<Site> {
        if depth > 8 {
            return lexer.wrong("dynamic constants are nested too deeply");
        }
        let name = lexer.text("a name")?;
        let descriptor = lexer.text("a descriptor")?;
        let (name, descriptor) = (self.tables.text(&name), self.tables.text(&descriptor));
        lexer.expect("by")?;
        let bootstrap = handle(lexer, self.tables)?;
        let mut arguments = Vec::new();
        if !lexer.take("[]")? {
            lexer.listed("[", "]", |lexer| {
                arguments.push(self.argument(lexer, depth)?);
                Ok(())
            })?;
        }
        Ok(Site { name, descriptor, bootstrap, arguments })
    }

    fn argument(&mut self, lexer: &mut Lexer<'_>, depth: u32) -> Result<Argument> {
        if lexer.take("dynamic")? {
            let site = self.site(lexer, depth + 1)?;
            return Ok(Argument::Site(self.tables.site(site)));
        }
        Ok(match self.constant(lexer)? {
            Some(Op::Int(value)) => Argument::Int(value),
            Some(Op::Long(value)) => Argument::Long(value),
            Some(Op::Float(bits)) => Argument::Float(bits),
            Some(Op::Double(bits)) => Argument::Double(bits),
            Some(Op::Text(text)) => Argument::Text(text),
            Some(Op::Class(class)) => Argument::Class(class),
            Some(Op::Handle(handle)) => Argument::Handle(handle),
            Some(Op::MethodType(text)) => Argument::MethodType(text),
            _ => return lexer.wrong("expected a constant"),
        })
    }

    fn constant(&mut self, lexer: &mut Lexer<'_>) -> Result<Option<Op>> {
        if let Token::Text(text) = lexer.peek() {
            let text = self.tables.text(text);
            lexer.advance()?;
            return Ok(Some(Op::Text(text)));
        }
        let Some(word) = lexer.peek_word() else { return Ok(None) };
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let long = word.strip_suffix('L').map(str::parse::<i64>);
            let op = match (long, word.parse::<i32>()) {
                (Some(Ok(value)), _) => Op::Long(value),
                (None, Ok(value)) => Op::Int(value),
                _ => return lexer.wrong(format!("`{word}` is no int or long")),
            };
            lexer.advance()?;
            return Ok(Some(op));
        }
        if !matches!(word, "float" | "double" | "null" | "class" | "handle" | "type") {
            return Ok(None);
        }
        lexer.advance()?;
        Ok(Some(match word {
            "float" => Op::Float(lexer.number("the bits of a float")?),
            "double" => Op::Double(lexer.number("the bits of a double")?),
            "class" => {
                let class = class_type(lexer)?;
                Op::Class(self.tables.class(&class))
            }
            "handle" => {
                let handle = handle(lexer, self.tables)?;
                Op::Handle(self.tables.handle(handle))
            }
            "type" => {
                let text = lexer.text("a descriptor")?;
                Op::MethodType(self.tables.text(&text))
            }
            _ => Op::Null,
        }))
    }

    fn operation(&mut self, lexer: &mut Lexer<'_>) -> Result<Op> {
        if let Some(op) = self.constant(lexer)? {
            return Ok(op);
        }
        let word = lexer.word("an operation")?;
        if let Some(op) = Binary::from_word(word) {
            let kind = self.kind(lexer)?;
            let left = self.reg(lexer)?;
            lexer.expect(",")?;
            return Ok(Op::Binary { op, kind, left, right: self.reg(lexer)? });
        }
        if let Some(op) = Convert::from_word(word) {
            return Ok(Op::Convert { op, value: self.reg(lexer)? });
        }
        Ok(match word {
            "neg" => Op::Negate { kind: self.kind(lexer)?, value: self.reg(lexer)? },
            "get" | "put" => {
                let member = field(lexer, self.tables)?;
                let field = self.tables.field(member);
                lexer.expect("of")?;
                let object = self.reg(lexer)?;
                if word == "get" {
                    Op::Get { field, object }
                } else {
                    Op::Put { field, object, value: self.assigned(lexer)? }
                }
            }
            "getstatic" | "putstatic" => {
                let member = field(lexer, self.tables)?;
                let field = self.tables.field(member);
                if word == "getstatic" {
                    Op::GetStatic { field }
                } else {
                    Op::PutStatic { field, value: self.assigned(lexer)? }
                }
            }
            "load" => {
                let (element, array, index) = self.element(lexer)?;
                Op::Load { element, array, index }
            }
            "store" => {
                let (element, array, index) = self.element(lexer)?;
                Op::Store { element, array, index, value: self.assigned(lexer)? }
            }
            "length" => Op::Length { array: self.reg(lexer)? },
            "new" => {
                let name = class_name(lexer)?;
                Op::New(self.tables.class(&name))
            }
            "array" => {
                let name = class_type(lexer)?;
                let class = self.tables.class(&name);
                lexer.expect("(")?;
                let length = self.reg(lexer)?;
                lexer.expect(")")?;
                Op::NewArray { class, length }
            }
            "arrays" => {
                let name = class_type(lexer)?;
                let class = self.tables.class(&name);
                Op::NewArrays { class, lengths: self.regs(lexer)? }
            }
            "call" => {
                let word = lexer.word("static, special, virtual or interface")?;
                let Some(kind) = CallKind::from_word(word) else {
                    return lexer.wrong(format!("`{word}` is none of static, special, virtual, interface"));
                };
                let member = method(lexer, self.tables)?;
                let method = self.tables.method(member);
                Op::Call { kind, method, arguments: self.regs(lexer)? }
            }
            "closure" => {
                let method = method(lexer, self.tables)?;
                lexer.expect("by")?;
                let body = handle(lexer, self.tables)?;
                let closure = self.tables.closure(Closure { method, body });
                Op::Closure { closure, captured: self.regs(lexer)? }
            }
            "concat" => {
                let recipe = lexer.text("a recipe")?;
                let recipe = self.tables.text(&recipe);
                Op::Concat { recipe, values: self.regs(lexer)? }
            }
            "dynamic" => {
                let site = self.site(lexer, 0)?;
                let site = self.tables.site(site);
                Op::Dynamic { site, arguments: self.regs(lexer)? }
            }
            "instanceof" => {
                let (class, value) = self.class_and_reg(lexer)?;
                Op::InstanceOf { class, value }
            }
            "cast" => {
                let (class, value) = self.class_and_reg(lexer)?;
                Op::Cast { class, value }
            }
            "enter" => Op::Enter { object: self.reg(lexer)? },
            "exit" => Op::Exit { object: self.reg(lexer)? },
            "return" => {
                let bare = lexer.starts_line() || lexer.peek_word().is_none();
                Op::Return { value: if bare { Reg::NONE } else { self.reg(lexer)? } }
            }
            "throw" => Op::Throw { value: self.reg(lexer)? },
            "jump" => {
                let edge = self.target(lexer, Caught::Any)?;
                self.open.edges = self.add_edges(&[edge]);
                Op::Jump
            }
            "if" => self.branch(lexer)?,
            "switch" => self.switch(lexer)?,
            word => return lexer.wrong(format!("there is no operation `{word}`")),
        })
    }

    fn branch(&mut self, lexer: &mut Lexer<'_>) -> Result<Op> {
        let left = self.reg(lexer)?;
        let condition = match lexer.advance()? {
            Token::Sign(sign) => Condition::from_word(sign),
            _ => None,
        };
        let Some(condition) = condition else {
            return lexer.wrong("expected one of == != < >= > <=");
        };
        let right = if lexer.take("0")? || lexer.take("null")? { Reg::NONE } else { self.reg(lexer)? };
        lexer.expect("then")?;
        let then = self.target(lexer, Caught::Any)?;
        lexer.expect("else")?;
        let other = self.target(lexer, Caught::Any)?;
        self.open.edges = self.add_edges(&[then, other]);
        Ok(Op::Branch { condition, left, right })
    }

    fn switch(&mut self, lexer: &mut Lexer<'_>) -> Result<Op> {
        let value = self.reg(lexer)?;
        let start = self.body.keys.len() as u32;
        let mut edges = Vec::new();
        lexer.expect("{")?;
        while !lexer.take("else")? {
            let key = lexer.number("a key, or `else`")?;
            self.body.keys.push(key);
            lexer.expect(":")?;
            edges.push(self.target(lexer, Caught::Any)?);
            lexer.expect(",")?;
        }
        lexer.expect(":")?;
        edges.push(self.target(lexer, Caught::Any)?);
        lexer.expect("}")?;
        self.open.edges = self.add_edges(&edges);
        Ok(Op::Switch { value, keys: List { start, count: edges.len() as u32 - 1 } })
    }
}
