//! The names and texts of commands as they are compared. Not here: words as paths (`path_pattern`).

use snaphook_script::path::fold;
use snaphook_shell::Command;
use snaphook_shell::programs::{Role, is};

/// The name in lower case; a name that is not known is its source text.
pub(crate) fn name_of(command: &Command) -> String {
    let name = command.name.text().to_lowercase();
    name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)
}

/// Returns whether a program runs texts of its own. `python3.12` is `python`.
pub(crate) fn runs_texts(name: &str) -> bool {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    is(base, Role::RunsTexts)
}

/// The text without quotes and backslashes, in lower case: for what a text inside of a text names.
pub(crate) fn plain(text: &str) -> String {
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
    fold(&text)
}

/// A text without what puts texts together.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !(c.is_whitespace() || "+,()[]{}.'\"`/&|;:".contains(*c))).collect()
}
