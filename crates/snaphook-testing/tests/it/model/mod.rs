//! The scripted model, read by a plain HTTP client: `bytes` has what each wire sends, `faults` and `connections` how it breaks,
//! `control` what a test sees and decides.

mod bytes;
mod client;
mod connections;
mod control;
mod faults;
