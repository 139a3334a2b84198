//! Names: a server's own name as a word, and the canonical names of its tools.

/// The name of a server that names itself nothing usable.
const NAMELESS: &str = "server";

/// The longest name of a server.
const MAX_NAME_CHARS: usize = 64;

/// The beginning of the canonical names.
pub(crate) const PREFIX: &str = "mcp__";

/// The text between server and tool. No server's name has it.
pub(crate) const PARTS: &str = "__";

/// A name as a word: letters, digits, `-`, and `_` for all else, never two of these in a row, which part server and tool in
/// `mcp__SERVER__TOOL`.
pub fn server_name(name: &str) -> String {
    let mut word = String::new();
    for c in name.chars().take(MAX_NAME_CHARS) {
        let c = if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        if c != '_' || !word.ends_with('_') {
            word.push(c);
        }
    }
    let word = word.trim_matches('_');
    if word.is_empty() { NAMELESS.to_owned() } else { word.to_owned() }
}

/// The canonical name of a server's tool.
pub fn tool_name(server: &str, tool: &str) -> String {
    format!("{PREFIX}{server}{PARTS}{tool}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_without_what_parts_them() {
        for (name, word) in [
            ("filesystem", "filesystem"),
            ("secure-filesystem-server", "secure-filesystem-server"),
            ("mcp-servers/everything", "mcp-servers_everything"),
            ("a__b", "a_b"),
            ("  My Server!", "My_Server"),
            ("süß", "s"),
            ("::", "server"),
            ("", "server"),
        ] {
            assert_eq!(server_name(name), word, "{name}");
        }
        assert_eq!(server_name(&"x".repeat(100)).len(), MAX_NAME_CHARS);
    }
}
