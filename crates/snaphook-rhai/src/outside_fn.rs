//! Finds out whether a place in a source is inside a function, from the text alone: the compiler stopped there, so that
//! there is no tree to ask. Good enough for a hint, and for nothing else.

/// True if a place, by line and column from 1, is in the body of an `fn`.
pub(crate) fn is_in_function(source: &str, line: usize, column: usize) -> bool {
    let mut scan = SourceScanner { rest: source.chars().collect(), at: 0, line: 1, column: 1 };
    let mut word = String::new();
    // An `fn` whose body has not begun.
    let mut is_pending = false;
    let mut blocks = Vec::new();
    while let Some(char) = scan.peek(0) {
        if (scan.line, scan.column) >= (line, column) {
            break;
        }
        if char.is_alphanumeric() || char == '_' {
            word.push(char);
            scan.next();
            continue;
        }
        is_pending |= std::mem::take(&mut word) == "fn";
        match char {
            '/' if scan.peek(1) == Some('/') => scan.skip_to(|char| char == '\n'),
            '/' if scan.peek(1) == Some('*') => scan.skip_comment(),
            '"' | '\'' | '`' => scan.skip_text(char),
            '{' => {
                blocks.push(std::mem::take(&mut is_pending));
                scan.next();
            }
            '}' => {
                blocks.pop();
                scan.next();
            }
            _ => {
                scan.next();
            }
        }
    }
    blocks.into_iter().any(|is_function| is_function)
}

struct SourceScanner {
    rest: Vec<char>,
    at: usize,
    line: usize,
    column: usize,
}

impl SourceScanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek(0)?;
        self.at += 1;
        (self.line, self.column) =
            if char == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        Some(char)
    }

    fn skip_to(&mut self, ends: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(|char| !ends(char)) {
            self.next();
        }
    }

    fn skip_comment(&mut self) {
        while self.next().is_some_and(|char| char != '*' || self.peek(0) != Some('/')) {}
        self.next();
    }

    fn skip_text(&mut self, quote: char) {
        self.next();
        while let Some(char) = self.next() {
            match char {
                '\\' if quote != '`' => {
                    self.next();
                }
                char if char == quote => return,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_a_function_is_told_from_the_rest() {
        let source =
            "let a = 1; // fn {\nfn f(x) {\n  if x { a }\n  `fn {` + \"}\"\n}\na + || { a };\n/* fn { */ a";
        for (line, column, expected) in [
            (1, 5, false),
            (2, 4, false),
            (3, 10, true),
            (4, 14, true),
            (6, 1, false),
            (6, 10, false),
            (7, 12, false),
        ] {
            assert_eq!(is_in_function(source, line, column), expected, "{line}:{column}");
        }
    }
}
