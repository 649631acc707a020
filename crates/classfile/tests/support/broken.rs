//! Woven classes broken on purpose, in ways in which a weaver may go wrong: a harness that sees no difference in them
//! sees none at all. Nothing is tested here.

use classfile::{Attribute, Class};

/// A name and what makes it of a class before and after weaving; None: it cannot be broken in that way.
pub type Way = (&'static str, fn(&[u8], &[u8]) -> Option<Vec<u8>>);

pub const WAYS: [Way; 6] = [
    ("old frames", with_old_frames),
    ("no frames", without_frames),
    ("no room on the stack", without_stack),
    ("a superclass that is not there", without_parent),
    ("a method twice", with_a_method_twice),
    ("cut short", cut_short),
];

/// The first version whose frames every JVM insists on.
const FRAMES: u16 = 51;

/// Changes the code of each method, where the change says how: from its body and where its frames stand in it.
fn change_code(
    woven: &[u8],
    change: impl Fn(usize, &[u8], Option<(usize, usize)>) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut class = Class::parse(woven).ok()?;
    let mut any = false;
    for number in 0..class.methods.len() {
        let Some(code) = class.code(&class.methods[number]).ok()? else { continue };
        let attribute = class.attribute(&class.methods[number].attributes, b"Code")?.clone();
        let frames = code.attribute(&class.pool, b"StackMapTable");
        let frames = frames.map(|table| (table.offset - attribute.offset, table.body.len()));
        let Some(body) = change(number, &attribute.body, frames) else { continue };
        let methods = &mut class.methods[number].attributes;
        *methods.iter_mut().find(|other| other.name == attribute.name)? =
            Attribute::new(attribute.name, body);
        any = true;
    }
    if any { class.write().ok() } else { None }
}

/// Gives every method the frames it had before weaving.
pub fn with_old_frames(old: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    let old = Class::parse(old).ok()?;
    if old.major < FRAMES {
        return None;
    }
    change_code(woven, |number, body, frames| {
        let before = old.code(old.methods.get(number)?).ok()??;
        let table = before.attribute(&old.pool, b"StackMapTable")?;
        let (start, length) = frames?;
        if body[start..start + length] == *table.body {
            return None;
        }
        // The table's bytes stand in the code's once; put the old ones there.
        let mut out = body[..start - 4].to_vec();
        out.extend((table.body.len() as u32).to_be_bytes());
        out.extend(&*table.body);
        out.extend(&body[start + length..]);
        Some(out)
    })
}

/// Frames that say nothing, where there were some.
fn without_frames(_: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    if Class::parse(woven).ok()?.major < FRAMES {
        return None;
    }
    change_code(woven, |_, body, frames| {
        let (start, length) = frames?;
        let mut out = body[..start - 4].to_vec();
        out.extend([0, 0, 0, 2, 0, 0]);
        out.extend(&body[start + length..]);
        Some(out)
    })
}

/// No method may put anything on its stack, but all that have frames do.
fn without_stack(_: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    change_code(woven, |_, body, frames| {
        frames?;
        let mut out = body.to_vec();
        out[..2].fill(0);
        Some(out)
    })
}

fn without_parent(_: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    let mut class = Class::parse(woven).ok()?;
    class.super_class = class.pool.add_class(b"raddle/rt/NotThere").ok()?;
    class.write().ok()
}

fn with_a_method_twice(_: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    let mut class = Class::parse(woven).ok()?;
    let again = class.methods.last()?.clone();
    class.methods.push(again);
    class.write().ok()
}

fn cut_short(_: &[u8], woven: &[u8]) -> Option<Vec<u8>> {
    Some(woven[..woven.len() - 1].to_vec())
}
