//! The reasons why a script's value has no JSON form. Not here: reading the values of a language, which its engine does.

/// A value that JSON cannot hold, or that is over the bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The value itself has no JSON form.
    #[error("the value {0}")]
    Whole(ValueProblem),
    /// A value within it has none.
    #[error("`{path}` {problem}")]
    Within {
        /// The keys that lead to it, with dots between.
        path: String,
        /// The problem with it.
        problem: ValueProblem,
    },
    /// The engine failed while the value was read; its own text.
    #[error("{0}")]
    Engine(String),
}

impl ValueError {
    /// The error for the value behind these keys.
    #[must_use]
    pub fn at(path: &[String], problem: ValueProblem) -> Self {
        if path.is_empty() {
            ValueError::Whole(problem)
        } else {
            ValueError::Within { path: path.join("."), problem }
        }
    }
}

/// A problem of a script's value on its way to JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    /// It has more values than one may have.
    #[error("has too many values")]
    TooMany,
    /// Its text is longer than it may be.
    #[error("is too long")]
    TooLong,
    /// It nests too deeply.
    #[error("is nested too deeply, or contains itself")]
    TooDeep,
    /// It is `nan` or `inf`.
    #[error("is not a finite number")]
    NotFinite,
    /// It is bytes that are not UTF-8.
    #[error("is text that is not UTF-8")]
    NotUtf8,
    /// JSON has no such type; the type's name with its article.
    #[error("is {0}")]
    Type(String),
    /// A table has a key that is no text; the type of the key.
    #[error("has a key that is a {0}")]
    Key(String),
    /// A table mixes list items and named keys.
    #[error("mixes list items and named keys, or has gaps")]
    Mixed,
    /// An answer is a table that only looks like what it holds.
    #[error("is a table with a metatable; answers are plain tables")]
    Metatable,
}
