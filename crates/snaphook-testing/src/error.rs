//! The reasons why a test, or one of its calls of `t` and `expect`, fails. Not here: the place in the test (the engine knows it).

use std::io;
use std::time::Duration;

/// The reason why a test fails. The text is for the author of the test.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TestError {
    /// The test calls `t` or `expect` with something that they do not take.
    #[error("{0}")]
    Usage(String),
    /// A value or an outcome is not as expected.
    #[error("expected: {expected}\n     got: {got}")]
    Unexpected {
        /// The expectation.
        expected: String,
        /// The value, or all that is known of the outcome.
        got: String,
    },
    /// A value differs, and the difference says how.
    #[error("{0}")]
    Different(String),
    /// Hooks do not load.
    #[error("{}", .0.join("\n"))]
    Hooks(Vec<String>),
    /// The test loads no hook, and there is none of its name.
    #[error("no hook is loaded, and there is none beside the test: {0}; load one with t.load(path)")]
    NoHook(Box<TestError>),
    /// The test's time is up.
    #[error("the test took longer than {0:?}")]
    Timeout(Duration),
    /// There is no folder for the test's files.
    #[error("failed to make a folder for the test's files: {0}")]
    Folder(io::Error),
    /// A file of the project cannot be written.
    #[error("t.fs failed to write \"{name}\": {cause}")]
    Write {
        /// The file's name in the test.
        name: String,
        /// The system's reason.
        cause: io::Error,
    },
    /// The person of the test has no answer.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The runner itself panicked.
    #[error("the runner failed: {0}")]
    Panic(String),
}

impl From<String> for TestError {
    fn from(text: String) -> Self {
        TestError::Usage(text)
    }
}

impl From<&str> for TestError {
    fn from(text: &str) -> Self {
        TestError::Usage(text.to_owned())
    }
}

/// The reason why a hook's question has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// The test gave no more answers of this kind.
    #[error("t.ui has no answer for it: no `{0}` is left")]
    Missing(&'static str),
    /// The answer is not among the choices.
    #[error("the answer {answer} of t.ui is not among the choices {choices}")]
    NoChoice {
        /// The test's answer.
        answer: String,
        /// The hook's choices.
        choices: String,
    },
}
