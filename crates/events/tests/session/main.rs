//! Sessions without a JVM: a player writes them as the agent would, the reader merges them.

mod damage;
mod meaning;
mod order;
mod regions;
mod world;
