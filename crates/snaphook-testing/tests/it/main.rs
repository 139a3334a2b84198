//! Tests of hook tests: each writes a few files, runs them, and looks at what came of it.

mod support;
mod t;
