//! `snaphook hook`: what each agent is told, by the command that it calls.

mod failures;
mod same;
mod sessions;
mod support;
