//! Reading the options that scripts pass beside other arguments: by name, each of one type. Not here: what an option means
//! (`exec`, `http`, `shell`).

use std::time::Duration;

use serde_json::Value;
use snaphook_core::nearest;

/// The reason why a function refuses its options, or its list of arguments.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("{function} has no option `{name}`{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// The function.
        function: String,
        /// The name as written.
        name: String,
        /// The option that is probably meant.
        nearest: Option<String>,
    },
    /// The option has a value that it cannot have.
    #[error("the option `{name}` of {function} is {expected}, not {found}")]
    WrongType {
        /// The function.
        function: String,
        /// The option.
        name: String,
        /// The kind of value that it takes.
        expected: &'static str,
        /// The value as written.
        found: Box<Value>,
    },
    /// A shell that has no dialect.
    #[error("the option `shell` of {function}: expected \"bash\" or \"sh\", found {found}")]
    Shell {
        /// The function.
        function: String,
        /// The value in quotes, or what kind of value it is.
        found: String,
    },
    /// The options have no names.
    #[error("the options of {function} have names, like `timeout`; this is {found}")]
    NoNames {
        /// The function.
        function: String,
        /// The value as written.
        found: Box<Value>,
    },
    /// The options of `ctx.exec` have no names.
    #[error("the options of ctx.exec are {0}")]
    NotAMap(&'static str),
    /// The arguments of `ctx.exec` are no list of texts; an example of one.
    #[error("the arguments of ctx.exec are a list of texts, like {0}")]
    Arguments(String),
}

impl OptionError {
    /// The error for a name that is not in `known`.
    pub(crate) fn unknown(function: &str, name: &str, known: &[&str]) -> Self {
        let nearest = nearest(name, known.iter().copied()).map(str::to_owned);
        OptionError::Unknown { function: function.to_owned(), name: name.to_owned(), nearest }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Reads `timeout`: a number of seconds above 0.
pub(crate) fn timeout(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().filter(|seconds| *seconds > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The kind of value that the option `timeout` takes.
pub(crate) const TIMEOUT: &str = "a number of seconds above 0";

/// Reads a text, or a number as text.
pub(crate) fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
