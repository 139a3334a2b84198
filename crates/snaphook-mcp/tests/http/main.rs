//! The carriers over HTTP, over real sockets of this machine: the server with requests that are written by hand, the client with
//! a server that says what a test wants, and both with the protocol's own SDK as peer.

mod client;

mod server;
mod support;
