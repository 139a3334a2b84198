//! The bounds of a script's value on its way to JSON, and the reasons why it has no JSON form. Not here: reading the values
//! of a language, which its engine does.

use serde_json::{Number, Value as Json};

/// The depth to which a value may nest, on its way into a script and out of it.
pub const MAX_DEPTH: usize = 128;
/// The number of values that a value may have on its way out.
const MAX_VALUES: usize = 1 << 18;

/// The bounds of a value that is read, and the place in it that is read at the moment.
pub struct Bounds {
    bytes_left: usize,
    values_left: usize,
    path: Vec<String>,
}

impl Bounds {
    /// The bounds of a value with at most so many bytes of text.
    pub fn new(bytes: usize) -> Self {
        Bounds { bytes_left: bytes, values_left: MAX_VALUES, path: Vec::new() }
    }

    /// Counts one more value.
    ///
    /// # Errors
    /// There are too many.
    #[inline]
    pub fn count_value(&mut self) -> Result<(), ValueError> {
        self.values_left = self.values_left.checked_sub(1).ok_or_else(|| self.at(ValueProblem::TooMany))?;
        Ok(())
    }

    /// Counts a text of so many bytes.
    ///
    /// # Errors
    /// There is too much text.
    #[inline]
    pub fn count_text(&mut self, bytes: usize) -> Result<(), ValueError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| self.at(ValueProblem::TooLong))?;
        Ok(())
    }

    /// Checks that the value may have values inside of it.
    ///
    /// # Errors
    /// It nests too deeply.
    #[inline]
    pub fn check_depth(&self) -> Result<(), ValueError> {
        if self.path.len() < MAX_DEPTH { Ok(()) } else { Err(self.at(ValueProblem::TooDeep)) }
    }

    /// Goes to the value behind a key.
    #[inline]
    pub fn enter(&mut self, key: String) {
        self.path.push(key);
    }

    /// Goes back; gives the key.
    #[inline]
    pub fn leave(&mut self) -> String {
        self.path.pop().unwrap_or_default()
    }

    /// Converts a number: an integer where it is whole and up to 2^53.
    ///
    /// # Errors
    /// It is not finite.
    pub fn number(&self, number: f64) -> Result<Json, ValueError> {
        const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
        if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
            return Ok(Json::from(number as i64));
        }
        Number::from_f64(number).map(Json::Number).ok_or_else(|| self.at(ValueProblem::NotFinite))
    }

    /// The error for the value at the present place.
    pub fn at(&self, problem: ValueProblem) -> ValueError {
        if self.path.is_empty() {
            ValueError::Whole(problem)
        } else {
            ValueError::Within { path: self.path.join("."), problem }
        }
    }
}

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
