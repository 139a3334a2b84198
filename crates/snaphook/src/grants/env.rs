//! Environment variables that a script may see.

use snaphook_core::ServiceError;

use super::missing;

/// The granted names.
pub(super) struct Variables(Vec<String>);

impl Variables {
    pub(super) fn new(names: &[String]) -> Self {
        Variables(names.to_vec())
    }

    /// Whether this one is granted.
    ///
    /// # Errors
    /// The grant that is missing.
    pub(super) fn allow(&self, name: &str) -> Result<(), ServiceError> {
        match self.0.iter().any(|granted| granted == name) {
            true => Ok(()),
            false => Err(missing(&format!("the environment variable {name}"), "env", name)),
        }
    }
}
