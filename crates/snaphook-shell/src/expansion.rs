//! Expansions that are a whole word, and texts as numbers. Not here: reading words (`reader`).

/// An expansion that may be a whole word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Variable {
    /// `$NAME`.
    Name(String),
    /// A value that is certainly a number: `$#`, `$?`, `$$`, `$!`, `${#x}`, `$((…))`.
    Number,
    /// Anything else.
    Other,
}

/// Returns whether a text is an integer.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
