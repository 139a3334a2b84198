//! The Rhai engine: one sealed scope a hook, handlers on stacks of their own, limits that hold against hostile scripts.
//!
//! Not here: what events and answers mean (`snaphook-core`), what the API's functions do (`snaphook-script`).

mod bindings;
mod bridge;
mod natives;
mod value;
