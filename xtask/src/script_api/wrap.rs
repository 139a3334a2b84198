//! Breaks the prose of a Markdown page at 100 columns. Tables, headings, comments and code spans
//! stay whole. Not here: the content of the page (`reference`).

use std::borrow::Cow;

/// The width of prose, in characters.
const WIDTH: usize = 100;

/// Returns the page with every line of prose that is too long broken between words.
pub(crate) fn wrap(page: &str) -> String {
    page.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> Cow<'_, str> {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    let is_prose = !text.starts_with(['|', '#', '<']);
    if !is_prose || text.chars().count() <= WIDTH {
        return line.into();
    }
    let indent = if text.starts_with("- ") { "  " } else { "" };
    let (mut wrapped, mut column) = (String::new(), 0);
    for word in words(text) {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            wrapped = wrapped + "\n" + indent + word;
            column = indent.len() + width;
        } else {
            let space = if column == 0 { "" } else { " " };
            wrapped = wrapped + space + word;
            column += space.len() + width;
        }
    }
    (wrapped + end).into()
}

/// Splits a line at spaces that are outside of code spans and of the texts of links.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let (mut in_code, mut in_link) = (false, false);
    text.split(move |c| {
        in_code ^= c == '`';
        match c {
            '[' if !in_code => in_link = true,
            ']' if !in_code => in_link = false,
            _ => {}
        }
        c == ' ' && !in_code && !in_link
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_between_words() {
        let word = "x".repeat(30);
        let code = format!("`{word} {word}`");
        let cases = [
            (format!("{word} {word} {word} {word}\n"), format!("{word} {word} {word}\n{word}\n")),
            (format!("- {word} {word} {word} {word}"), format!("- {word} {word} {word}\n  {word}")),
            (format!("{word} {code} {word}\n\nb\n"), format!("{word} {code}\n{word}\n\nb\n")),
            (format!("{word} {word} [{word} {word}](y)"), format!("{word} {word}\n[{word} {word}](y)")),
        ];
        for (page, wanted) in cases {
            assert_eq!(wrap(&page), wanted);
            assert_eq!(wrap(&wanted), wanted, "nothing is left to break");
        }
    }

    #[test]
    fn what_cannot_be_broken_stays() {
        let long = "word ".repeat(40);
        for page in
            [format!("| {long} |\n"), format!("# {long}"), format!("<!-- {long} -->"), "x".repeat(200)]
        {
            assert_eq!(wrap(&page), page);
        }
    }
}
