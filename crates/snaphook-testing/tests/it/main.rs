//! Tests of hook tests. What the functions of `t` and `expect` do is told by the test scripts in `../scripts`; here is what
//! a test cannot say of itself.

mod examples;
mod failures;
mod finding;
mod hostile;
mod lines;
mod runs;
mod scripts;
mod support;
