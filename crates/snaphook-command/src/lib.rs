//! Running other programs: the process runner behind `ctx.exec`, the agent's `bash` tool and command hooks.
//!
//! Lives here: [`process`], which starts one program without a shell, bounds what it may cost, and leaves nothing
//! of it behind; [`executable`], which makes handlers of executables that are hooks; [`lifecycle`], the shell commands of
//! lifecycle files.
//!
//! Not here: whether a hook may run a program (grants, in the host), how its result looks in a guest language (the
//! engines) or on an agent's wire (the adapters). Nothing here reads the process's own environment or working
//! directory, and nothing writes to its terminal.

pub mod changes;
pub mod executable;
pub mod lifecycle;
pub mod process;
pub mod status;
