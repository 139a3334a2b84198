//! Environment variables that a script may see.

use snaphook_core::ServiceError;

use super::Asker;

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
    pub(super) fn allow(&self, asker: &Asker, name: &str) -> Result<(), ServiceError> {
        match self.0.iter().any(|granted| granted == name) {
            true => {
                asker.used("env", name);
                Ok(())
            }
            false => Err(asker.missing(&format!("the environment variable {name}"), "env", name)),
        }
    }
}
