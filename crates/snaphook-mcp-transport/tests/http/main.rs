//! Streamable HTTP over real sockets of this machine: the server with requests that are written by hand, the client with
//! a server that says what a test wants, and both with the protocol's own SDK as peer.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod client;
mod peers;
mod server;
mod stateless;
mod support;
