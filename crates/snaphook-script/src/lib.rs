//! What both script engines share: matchers, and the functions of the script API without a VM. The engines only
//! convert values; what a function does is here once, so that Lua and Rhai cannot differ.

pub mod exec;
pub mod glob;
pub mod http;
pub mod line;
pub mod matcher;
pub mod modules;
pub mod options;
pub mod path;
pub mod regex;
pub mod shell;
pub mod testing;
pub mod time;
pub mod value;
