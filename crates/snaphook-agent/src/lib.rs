//! Driving an agent session under Snaphook's hooks.
pub mod replay;
pub mod scratch;
pub mod tools;
