//! Remedies by table: what an author should have written, found by a name or by a part of a message. Not here: the tables
//! (`hints` of each engine).

/// The remedy for each name that a language does not have.
pub type Names = [(&'static str, &'static str)];
/// The remedy for each message. All parts have to be in it.
pub type Messages = [(&'static [&'static str], &'static str)];
/// The remedy for each message of a compiler together with a part of the line that it names. An empty part is in every
/// text.
pub type Lines = [(&'static str, &'static str, &'static str)];

/// The remedy for a name.
pub fn of_name(table: &Names, name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, remedy)| *remedy)
}

/// The remedy for the message of a script that runs.
pub fn of_message(table: &Messages, message: &str) -> Option<&'static str> {
    let is_meant = |parts: &&[&str]| parts.iter().all(|part| message.contains(part));
    table.iter().find(|(parts, _)| is_meant(parts)).map(|(_, remedy)| *remedy)
}

/// The remedy for the message of a compiler about a line; `line` is its [`code`].
pub fn of_line(table: &Lines, message: &str, line: &str) -> Option<&'static str> {
    let is_meant = |part: &str, inside: &str| message.contains(part) && line.contains(inside);
    table.iter().find(|(part, inside, _)| is_meant(part, inside)).map(|(.., remedy)| *remedy)
}

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
