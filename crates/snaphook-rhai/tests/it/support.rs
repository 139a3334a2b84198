//! Rhai's own part of the bed that the tests of both engines share.

use std::sync::Arc;

use snaphook_core::{Engine, LoadRequest, Problem, Services};
use snaphook_rhai::RhaiEngine;

#[path = "../../../../tests/engines/bed.rs"]
mod bed;

pub use bed::*;

pub const EXTENSION: &str = "rhai";

pub fn engine() -> impl Engine {
    RhaiEngine::new()
}

pub fn in_a_handler(body: &str) -> String {
    format!("on(\"tool_call\", |event, ctx| {{\n{body}\n}});")
}

/// Loads with an engine that has other hooks, too.
pub fn load_in(engine: &RhaiEngine, source: &str) -> Result<Bed, Problem> {
    let (fake, limits) = (Arc::new(Fake::default()), limits());
    let services: Arc<dyn Services> = fake.clone();
    let hook = engine.load(LoadRequest::new(&script(source, &[]), &services, &limits))?;
    Ok(Bed { fake, hook, limits })
}

/// Stands still for as long as the fake host says.
pub const PAUSE: &str = "if snaphook::time::now() < 0.0 {}";

/// Computes without end.
pub const COMPUTE: &str = "while true {}";

/// Computes for some ten milliseconds.
pub const WORK: &str = "let n = 0; for i in 0..30000 { n += i % 7; }";

/// A hook that counts its calls for as long as its VM lives, after a pause.
pub fn counts_after_a_pause() -> String {
    format!("let n = 0; on(\"tool_call\", |event| {{ n += 1; {PAUSE} #{{ context: n.to_string() }} }});")
}

/// Does a call so often, with a text `t` of so many bytes.
pub fn repeats(call: &str, times: usize, bytes: usize) -> String {
    format!("let t = \"\"; t.pad({bytes}, \"x\");\nfor i in 0..{times} {{ {call}; }}")
}

pub const LIST_OF_T: &str = "[t]";
