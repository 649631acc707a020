//! What the model tables say of calls and bodies, as probe calls. `plan.rs` says which probe calls an effect needs,
//! `call.rs` puts them around calls, `body.rs` around bodies, `push.rs` makes their code.

mod body;
mod call;
mod expand;
mod plan;
mod push;

pub(crate) use body::Bodies;
pub(crate) use call::{Pending, plan_call};
pub(crate) use plan::Plan;
