//! `snaphook mcp` between a scripted client, here, and a small server in Python. What passes a session, and as what, is tested in
//! the crate `snaphook-mcp`; here are the processes, their streams and their ends.

pub mod client;
mod gates;
mod http;
mod processes;
