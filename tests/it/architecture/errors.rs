//! Errors of libraries have types: a caller can tell them apart, and does not have to read their text. Programs may have
//! texts.

use super::sources;

#[test]
fn errors_of_libraries_are_typed() {
    let mut wrong = Vec::new();
    for (file, source) in sources().filter(|(file, _)| !file.starts_with("crates/snaphook-cli/")) {
        let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if code.split("Result<").skip(1).any(|rest| error_of(rest) == Some("String")) {
                wrong.push(format!("{file}:{}: `Result<_, String>`", number + 1));
            }
        }
    }
    assert_eq!(wrong, [] as [String; 0], "write an enum that derives `thiserror::Error`");
}

/// The second of the types in `Result<…>`, from behind the `<`; `None` where there is one type only.
fn error_of(types: &str) -> Option<&str> {
    let (mut depth, mut second) = (0, None);
    for (at, c) in types.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            // Of `->`.
            '>' if types[..at].ends_with('-') => {}
            '>' if depth == 0 => return second.map(|begins: usize| types[begins..at].trim()),
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => second = Some(at + 1),
            _ => {}
        }
    }
    None
}

#[test]
fn the_error_of_a_result_is_found() {
    for (types, error) in [
        ("(), String> {", Some("String")),
        ("BTreeMap<String, String>, TestError> {", Some("TestError")),
        ("Option<Vec<(u8, u8)>>, String>> {", Some("String")),
        ("Box<dyn Fn(u8) -> u8>, String>;", Some("String")),
        ("Vec<String>> {", None),
        ("_, _>>()?", Some("_")),
    ] {
        assert_eq!(error_of(types), error, "{types}");
    }
}
