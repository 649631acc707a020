//! Access flags of classes, fields and methods, as the class file numbers them. One bit may mean several things.

#![allow(missing_docs)] // the names are Java's own

pub const PUBLIC: u16 = 0x0001;
pub const PRIVATE: u16 = 0x0002;
pub const PROTECTED: u16 = 0x0004;
pub const STATIC: u16 = 0x0008;
pub const FINAL: u16 = 0x0010;
/// On a class: treats superclass calls in the new way.
pub const SUPER: u16 = 0x0020;
/// On a method.
pub const SYNCHRONIZED: u16 = 0x0020;
/// On a field.
pub const VOLATILE: u16 = 0x0040;
/// On a method.
pub const BRIDGE: u16 = 0x0040;
/// On a field.
pub const TRANSIENT: u16 = 0x0080;
/// On a method.
pub const VARARGS: u16 = 0x0080;
/// On a method.
pub const NATIVE: u16 = 0x0100;
/// On a class.
pub const INTERFACE: u16 = 0x0200;
pub const ABSTRACT: u16 = 0x0400;
/// On a method before version 61.
pub const STRICT: u16 = 0x0800;
pub const SYNTHETIC: u16 = 0x1000;
/// On a class.
pub const ANNOTATION: u16 = 0x2000;
/// On a class or a field.
pub const ENUM: u16 = 0x4000;
/// On a class.
pub const MODULE: u16 = 0x8000;
