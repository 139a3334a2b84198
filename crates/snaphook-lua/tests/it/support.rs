//! Lua's own part of the bed that the tests of both engines share.

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

/// Stands still for as long as the fake host says.
pub const PAUSE: &str = "snaphook.time.now()";

/// Computes without end.
pub const COMPUTE: &str = "while true do end";

/// Computes for some ten milliseconds.
pub const WORK: &str = "local n = 0 for i = 1, 1000000 do n = n + i % 7 end";

/// A hook that counts its calls for as long as its VM lives, after a pause.
pub fn counts_after_a_pause() -> String {
    format!(
        "local n = 0 on('tool_call', function() n = n + 1 {PAUSE} return {{ context = tostring(n) }} end)"
    )
}

/// Does a call so often, with a text `t` of so many bytes.
pub fn repeats(call: &str, times: usize, bytes: usize) -> String {
    format!("local t = ('x'):rep({bytes})\nfor _ = 1, {times} do {call} end")
}

pub const LIST_OF_T: &str = "{ t }";
