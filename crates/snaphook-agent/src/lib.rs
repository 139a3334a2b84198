//! Driving an agent session under Snaphook's hooks.
pub mod tools;
