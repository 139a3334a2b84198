//! The reasons why a program could not be started. Not here: the end of a started one (`output`).

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// Nothing was run. Each variant names the thing that is wrong: the program, the directory, an argument.
///
/// The messages are fragments that read after "failed to run …: ".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program was given by its name, and no directory of the request's `PATH` has it.
    #[error("program `{}` not found in PATH ({})", .program.display(), .path.display())]
    NotInPath {
        /// The name as it was given.
        program: OsString,
        /// The `PATH` that was searched.
        path: OsString,
    },
    /// The program was given by its name, but the request's environment has no `PATH` to look in.
    #[error("program `{}` not found: the environment given to it has no PATH", .program.display())]
    NoPath {
        /// The name as it was given.
        program: OsString,
    },
    /// The program was given by a path at which there is nothing.
    #[error("program `{}` does not exist", .program.display())]
    NotFound {
        /// The path, made absolute with the request's working directory.
        program: PathBuf,
    },
    /// There is something at that path, but it may not be executed or is not a file.
    #[error("`{}` is not an executable file", .program.display())]
    NotExecutable {
        /// The absolute path.
        program: PathBuf,
    },
    /// The program exists, but what its `#!` line names (or its loader) does not.
    #[error("the interpreter of `{}` does not exist", .program.display())]
    NoInterpreter {
        /// The absolute path of the program.
        program: PathBuf,
    },
    /// The working directory is missing, not a directory, not absolute or may not be entered.
    #[error("working directory `{}`: {source}", .cwd.display())]
    Cwd {
        /// The directory as it was given.
        cwd: PathBuf,
        /// The problem with it.
        source: io::Error,
    },
    /// A part of the request has a NUL byte, which no operating system can pass on.
    #[error("{part} contains a NUL byte")]
    Nul {
        /// The part, for instance `argument 2` (counted from 1).
        part: String,
    },
    /// An environment variable's name is empty or has a `=` in it.
    #[error("`{}` is not a name for an environment variable", .name.display())]
    EnvName {
        /// The name as it was given.
        name: OsString,
    },
    /// The operating system refused for another reason: too many processes, arguments too long, …
    #[error("`{}`: {source}", .program.display())]
    System {
        /// The absolute path of the program (on Windows, what was asked for).
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}
