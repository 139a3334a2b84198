//! Sets snaphook up: in the settings of agents, lists of MCP servers and git repositories; and looks whether it works.
//!
//! Each tool does its work and returns a report. Nothing here prints, asks a person, reads the environment or exits: folders,
//! variables and the program's path are parameters. Not here: command lines, texts of reports and exit codes (the command).

pub mod doctor;
mod error;
mod files;
pub mod git;
pub mod import;
pub mod install;
pub mod wrap;

pub use error::{EditError, SetupError};
