//! `snaphook hook`: the answer to each agent, by the command that it calls.

mod closed;
mod failures;
mod notices;
mod once;
#[cfg(unix)]
mod pauses;
mod plugin;
mod same;
mod serve;
mod sessions;
pub mod support;
