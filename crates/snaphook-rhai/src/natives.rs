//! The standard library of scripts: Rhai's own packages, with what could run too long replaced.

use rhai::packages::{Package, StandardPackage};
use rhai::{Module, Shared};

/// Everything that scripts get beside the API.
pub(crate) fn library() -> Shared<Module> {
    StandardPackage::new().as_shared_module()
}
