//! The text form of classes: written by hand in tests, printed for people. Reading what was printed gives the same class
//! (its tables numbered in the order of the text).
//!
//! # Grammar
//! `//` starts a comment. Names are as in Java, `java.lang.String` with dots; what is no plain name stands in
//! backquotes, a class there with its slashes (`` `a/b-c` ``). Types are Java's: `int[]`, `java.util.List`.
//! ```text
//! CLASS   = {ANNOTATION} {FLAG} (class | interface) NAME [extends NAME | extends nothing] [implements NAME, …]
//!           [source "FILE"] { {MEMBER} }                    without extends: java.lang.Object
//! MEMBER  = {ANNOTATION} field {FLAG} TYPE NAME
//!         | {ANNOTATION} method {FLAG} TYPE NAME(TYPE [REG], …) [{ BODY } | unread | gap "WHY"]
//! ANNOTATION = @NAME [(NAME = "TEXT", …)]
//! BODY    = {STATEMENT} {BLOCK}         a body starts with the entry block: its parameters are the method's, and `this`
//! BLOCK   = BLOCKNAME [(KIND REG, …)] {catch (NAME | any) TARGET} : {STATEMENT}    `entry catch … :` may stand first
//! TARGET  = BLOCKNAME [(REG, …)]        `caught` among a catch's arguments is the exception
//! STATEMENT = line NUMBER               the source line of what follows
//!         | [REG =] OPERATION [@PC]     without: one more than the statement before
//! OPERATION = 5 | 5L | float BITS | double BITS | null | "TEXT" | class TYPE | handle HANDLE | type "DESCRIPTOR"
//!         | BINARY [KIND] REG, REG | neg [KIND] REG | CONVERT REG                  without a kind: int
//!         | get FIELD of REG | put FIELD of REG = REG | getstatic FIELD | putstatic FIELD = REG
//!         | load ELEMENT REG[REG] | store ELEMENT REG[REG] = REG | length REG
//!         | new NAME | array TYPE (REG) | arrays TYPE (REG, …)                           the array's type, its lengths
//!         | call (static | special | virtual | interface) METHOD (REG, …)          receiver first
//!         | closure METHOD by HANDLE (REG, …) | concat "RECIPE" (REG, …)
//!         | dynamic "NAME" "DESCRIPTOR" by HANDLE [ARGUMENT, …] (REG, …)
//!         | instanceof TYPE REG | cast TYPE REG | enter REG | exit REG
//!         | return [REG] | throw REG | jump TARGET
//!         | if REG (== | != | < | >= | > | <=) (REG | 0 | null) then TARGET else TARGET
//!         | switch REG { NUMBER: TARGET, … else: TARGET }
//! FIELD   = TYPE NAME.NAME              METHOD = TYPE NAME.NAME(TYPE, …)           class and member
//! HANDLE  = (get | getstatic | put | putstatic) FIELD | (virtual | static | special | new | interface) METHOD
//! ```

mod lexer;
mod names;
mod parse;
mod parse_body;
mod print;
mod print_body;

pub use lexer::TextError;
pub use parse::{parse, parse_class, parse_numbered};
pub use print::print;

#[cfg(test)]
mod tests;
