//! What is Lua's own in the bed that the tests of both engines share.

use snaphook_core::Engine;
use snaphook_lua::LuaEngine;

#[path = "../../../../tests/engines/bed.rs"]
mod bed;

pub use bed::*;

pub const EXTENSION: &str = "lua";

pub fn engine() -> impl Engine {
    LuaEngine::new().unwrap()
}

pub fn in_a_handler(body: &str) -> String {
    format!("on('tool_call', function(event, ctx)\n{body}\nend)")
}
