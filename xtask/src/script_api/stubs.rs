//! The stubs, inside the library, in the order in which they are read and written. Not here: reading them (`parse`).

/// One stub file.
#[derive(Debug, Clone, Copy)]
pub struct Stub {
    /// Its name, for messages.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! stubs {
    ($($name:literal),* $(,)?) => {
        &[$(Stub {
            file: concat!("crates/snaphook-lua/src/", $name),
            text: include_str!(concat!("../../../crates/snaphook-lua/src/", $name)),
        }),*]
    };
}

/// Every stub. A file that declares something comes before those that add to it.
pub const STUBS: &[Stub] = stubs![
    "on.d.lua",
    "bindings/ctx.d.lua",
    "bindings/exec.d.lua",
    "bindings/ui.d.lua",
    "bindings/kv.d.lua",
    "bindings/mod.d.lua",
    "bindings/env.d.lua",
    "bindings/fs.d.lua",
    "bindings/glob.d.lua",
    "bindings/http.d.lua",
    "bindings/json.d.lua",
    "bindings/path.d.lua",
    "bindings/regex.d.lua",
    "bindings/shell.d.lua",
    "bindings/time.d.lua",
    "bindings/host.d.lua",
    "bindings/require.d.lua",
    "bindings/testing.d.lua",
];
