//! Tests of hook tests. What the functions of `t` and `expect` do is shown by the test scripts in `../scripts`; here is what
//! a test cannot say of itself.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are outside of #[test] functions")]

mod engines;
mod examples;
mod failures;
mod finding;
mod hostile;
mod lines;
mod model;
mod runs;
mod scripts;
mod support;
