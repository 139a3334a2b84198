//! A line of a script as far as hints look at it. Not here: what a hint says (each engine's `hints`).

/// The code of a line: without its comment, and with nothing inside its quotes, so that no word of a text is taken for
/// one of the language.
pub fn code(line: &str, comment: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut rest = line.char_indices();
    while let Some((at, char)) = rest.next() {
        match quote {
            None if line[at..].starts_with(comment) && !out.trim().is_empty() => break,
            None => {
                quote = matches!(char, '"' | '\'' | '`').then_some(char);
                out.push(char);
            }
            Some(_) if char == '\\' => {
                rest.next();
            }
            Some(open) if open == char => {
                quote = None;
                out.push(char);
            }
            Some(_) => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_comments_are_left_out() {
        for (line, expected) in [
            ("if a and b { // or not", "if a and b { "),
            (r#"reason: "not \" and", x: 'or'"#, r#"reason: "", x: ''"#),
            ("// the whole line", "// the whole line"),
        ] {
            assert_eq!(code(line, "//"), expected);
        }
    }
}
