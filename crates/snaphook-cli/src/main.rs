//! The snaphook command.
fn main() {}
