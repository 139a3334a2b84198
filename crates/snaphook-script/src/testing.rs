//! The list of the tests of a test script, and the reasons why `test` refuses one. Not here: running them.

use snaphook_core::Location;

/// The most tests that a file may have. More are a loop gone wrong.
const MAX_TESTS: usize = 2000;

/// The reason why `test` refuses a test.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TestListError {
    /// The file has loaded already.
    #[error("test() can be called only while the file loads, not from a test")]
    Loaded,
    /// The name is taken.
    #[error("there is a test \"{name}\" already, at {first}")]
    Taken {
        /// The name.
        name: String,
        /// The place of the first test of this name.
        first: Location,
    },
    /// There are too many.
    #[error("a file may have at most {MAX_TESTS} tests")]
    TooMany,
}

/// One call of `test`, with the function in the engine's form.
#[derive(Debug, Clone)]
pub struct Registered<Function> {
    /// The test's name.
    pub name: String,
    /// The place of the call.
    pub location: Location,
    /// The function that it runs.
    pub function: Function,
}

/// Adds a test; `list` is `None` once the script has loaded.
///
/// # Errors
/// The script has loaded already; the name is taken; there are too many.
pub fn add<Function>(
    list: Option<&mut Vec<Registered<Function>>>,
    test: Registered<Function>,
) -> Result<(), TestListError> {
    let list = list.ok_or(TestListError::Loaded)?;
    if let Some(first) = list.iter().find(|other| other.name == test.name) {
        return Err(TestListError::Taken { name: test.name, first: first.location.clone() });
    }
    if list.len() >= MAX_TESTS {
        return Err(TestListError::TooMany);
    }
    list.push(test);
    Ok(())
}
