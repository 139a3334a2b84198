//! The script API as data. The stubs beside the Lua bindings (`crates/snaphook-lua/src/bindings/*.d.lua`) say what scripts
//! see, core's table says what events carry and take; from the two come the declarations for editors and checkers, and
//! `docs/reference.md`.
//!
//! | file | what |
//! |---|---|
//! | `model` | classes, functions, types |
//! | `lines`, `parse`, `types` | stubs to the model |
//! | `events` | core's table to the model |
//! | `stubs` | the stubs, inside the library |
//! | `luals`, `luau` | the model as declarations |
//! | `reference`, `spelling` | the model as a page |
//!
//! Not here: writing files (`generate`), and what the functions do.

mod events;
mod lines;
mod luals;
mod luau;
mod model;
mod parse;
mod reference;
mod spelling;
mod stubs;
mod types;
mod wrap;

pub use events::{EventTypes, KnownEvent, event_types};
pub use model::{Alias, Api, Class, Field, Function, Param, Return, StubLocation, Type};
pub use parse::{StubError, parse};
pub use reference::{Row, rows};
pub use stubs::{STUBS, Stub};

#[cfg(test)]
mod output_tests;

/// The API as the stubs of this version describe it.
///
/// # Errors
/// A stub that is not understood; a test holds that there is none.
pub fn api() -> Result<Api, StubError> {
    parse(STUBS)
}

/// Declarations for the Lua language server and EmmyLua: `snaphook.d.lua`.
///
/// # Errors
/// As [`api`].
pub fn luals() -> Result<String, StubError> {
    Ok(luals::write(STUBS, &event_types()))
}

/// Declarations for Luau's own checker and luau-lsp: `snaphook.d.luau`.
///
/// # Errors
/// As [`api`].
pub fn luau() -> Result<String, StubError> {
    Ok(luau::write(&api()?, &event_types()))
}

/// The page `docs/reference.md`.
///
/// # Errors
/// As [`api`].
pub fn reference() -> Result<String, StubError> {
    Ok(reference::write(&api()?, &event_types()))
}
