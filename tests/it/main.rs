//! The one binary of end-to-end tests.

mod architecture;
mod docs;
mod support;
