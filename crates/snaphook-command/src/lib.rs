//! The process runner behind ctx.exec, and later command hooks.
