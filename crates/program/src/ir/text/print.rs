//! Classes as text: headers, members, annotations. Bodies are in `print_body.rs`.

use classfile::{MethodType, flags};

use super::names::{
    CLASS_FLAGS, FIELD_FLAGS, METHOD_FLAGS, put_class, put_flags, put_name, put_parameters, put_quoted,
    put_result, put_type,
};
use super::print_body::{put_body, put_reg};
use crate::ir::{Annotation, Class, Code, Method, Reg, Table};

/// A class as text.
pub fn print(class: &Class) -> String {
    let mut out = String::new();
    let table = &class.table;
    put_annotations(&mut out, table, &class.annotations, "");
    put_flags(&mut out, class.access, CLASS_FLAGS);
    out.push_str(if class.access & flags::INTERFACE != 0 { "interface " } else { "class " });
    put_class(&mut out, class.name());
    match class.superclass.map(|name| table.class(name)) {
        Some("java/lang/Object") => {}
        Some(name) => {
            out.push_str(" extends ");
            put_class(&mut out, name);
        }
        None => out.push_str(" extends nothing"),
    }
    for (number, interface) in class.interfaces.iter().enumerate() {
        out.push_str(if number == 0 { " implements " } else { ", " });
        put_class(&mut out, table.class(*interface));
    }
    if let Some(source) = class.source {
        out.push_str(" source ");
        put_quoted(&mut out, '"', table.text(source));
    }
    out.push_str(" {\n");
    for field in &class.fields {
        put_annotations(&mut out, table, &field.annotations, "    ");
        out.push_str("    field ");
        put_flags(&mut out, field.access, FIELD_FLAGS);
        put_type(&mut out, table.text(field.descriptor));
        out.push(' ');
        put_name(&mut out, table.text(field.name));
        out.push('\n');
    }
    for method in &class.methods {
        put_annotations(&mut out, table, &method.annotations, "    ");
        put_method(&mut out, table, method);
    }
    out.push_str("}\n");
    out
}

fn put_annotations(out: &mut String, table: &Table, annotations: &[Annotation], indent: &str) {
    for annotation in annotations {
        out.push_str(indent);
        out.push('@');
        put_class(out, table.class(annotation.class));
        for (number, (name, text)) in annotation.values.iter().enumerate() {
            out.push_str(if number == 0 { "(" } else { ", " });
            put_name(out, table.text(*name));
            out.push_str(" = ");
            put_quoted(out, '"', table.text(*text));
        }
        out.push_str(if annotation.values.is_empty() { "\n" } else { ")\n" });
    }
}

fn put_method(out: &mut String, table: &Table, method: &Method) {
    out.push_str("    method ");
    put_flags(out, method.access, METHOD_FLAGS);
    // Classes are made only with descriptors that can be read.
    let Some(types) = MethodType::parse(table.text(method.descriptor).as_bytes()) else { return };
    put_result(out, types);
    out.push(' ');
    put_name(out, table.text(method.name));
    let receiver = usize::from(!method.is_static());
    put_parameters(out, types, |out, number| {
        if method.body().is_some() {
            out.push(' ');
            put_reg(out, Reg((number + receiver) as u32), method.is_static());
        }
    });
    match &method.code {
        Code::Absent => {}
        Code::Unread => out.push_str(" unread"),
        Code::Body(body) => {
            out.push_str(" {\n");
            put_body(out, table, body, method.is_static());
            out.push_str("    }");
        }
        Code::Gap(why) => {
            out.push_str(" gap ");
            put_quoted(out, '"', table.text(*why));
        }
    }
    out.push('\n');
}
