//! `snaphook::shell`.

use rhai::{Module, Shared};

/// The names of its functions.
pub(crate) const NAMES: &[&str] = &[];

/// Makes the module.
pub(crate) fn module() -> Shared<Module> {
    Module::new().into()
}
