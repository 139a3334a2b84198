//! The part that both script engines share: matchers, the functions of the script API without a VM, and the [`kit`] that
//! engines are made of. An engine converts values and runs its language; what a function does is here once, so that Lua
//! and Rhai cannot differ.

pub mod ctx;
pub mod exec;
pub mod glob;
pub mod http;
pub mod json;
pub mod kit;
pub mod matcher;
pub mod modules;
pub mod options;
pub mod path;
pub mod regex;
pub mod shell;
pub mod testing;
pub mod time;
pub mod ui;
pub mod value;
