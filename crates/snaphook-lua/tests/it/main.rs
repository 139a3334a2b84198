//! The Luau engine against a fake host.

mod api;
mod containment;
mod loading;
mod support;
mod values;
mod waiting;
