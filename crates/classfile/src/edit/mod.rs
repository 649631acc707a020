//! Changing the code of one method: snippets go in, and every offset, frame and table is put right.
//!
//! ```text
//! let mut class = Class::parse(bytes)?;
//! let Some(mut edit) = Edit::new(&class, method)? else { … };   // None: abstract or native
//! let mut probe = Snippet::new();                               // straight-line code, made once, used often
//! probe.int(&mut class.pool, 7)?.invoke_static(&mut class.pool, b"a/Probe", b"hit", b"(I)V")?;
//! for step in edit.code().instructions() { let (pc, instruction) = step?; edit.before(pc, &probe); }
//! edit.apply(&mut class)?;                                      // true if anything was changed
//! let woven = class.write()?;
//! ```
//!
//! All pcs are those of the method as it was when the edit began. Where code goes, around the instruction at `pc`:
//!
//! ```text
//!        (instruction before)                       its code inserted by
//!        ... after(previous pc)                     Edit::after            only when it was left by falling through
//!        ... entry (first instruction only)         Edit::entry            runs once, no jump comes here
//!        ... fall(pc)                               Edit::before_fall      not run by jumps to pc
//! pc:    ... before(pc)                             Edit::before           jumps to pc land here; so do handlers
//!        instruction, or its replacement            Edit::replace
//! ```
//! Several snippets at one place run in the order in which they were given. `Edit::before_returns` is `before` at every
//! return. What follows a jump, a return or a throw by falling through never runs and is left out.
//!
//! **Locals.** `new_local(kind)` is a slot of our own for use within one snippet, or from a snippet before an
//! instruction to one after it; a frame (a jump's target) forgets it. `method_local(value)` lives in the whole method:
//! the snippet given to `entry` must assign it; it is added to every frame, so that handlers may use it.
//!
//! **Handlers.** `handler(range, catch, order, body)`: `range` in pcs with a `Border` (`Around` also covers code inserted
//! at its two ends, `Inside` does not); `order` puts it before (`Inner`) or after (`Outer`) the existing entries; `body`
//! stands at the end of the method, starts with the exception on the stack, and ends in a throw or return. It may use
//! method-wide locals, and `this` and parameters that the method never stores to. A range may not hold a constructor's
//! call of `super(…)`: `initialised_from` says from where on it is over.
//! Existing handlers cover what is inserted around the instructions they cover. `cover_after(pc)` also stretches those
//! that start behind `pc` over what was inserted after it: needed behind `monitorenter`, or the JIT gives up.
//!
//! **Limits.** 64 KiB of code, a full pool and the like are errors for which `Reason::is_limit` holds; the method and
//! the class then are as they were, but for unused constants: drop the class and keep the bytes.
//!
//! It does not check what a snippet does; a verifier will. It does not touch attributes of the code it does not know.
