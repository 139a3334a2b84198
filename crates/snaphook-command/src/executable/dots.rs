//! Dot files under Discobot's patterns: a `*` does not match a name that begins with a dot, unless the pattern says the dot. Not here:
//! the patterns themselves (`snaphook_script::glob`).

use snaphook_script::glob::Globs;

/// The most patterns that braces may expand to. With more, no file is left out.
const MAX_PATTERNS: usize = 256;

/// The names with a dot in front that patterns say.
pub(super) struct Dots {
    /// `None` where they say none.
    said: Option<Globs>,
    /// True if every file counts: the patterns cannot be read.
    all: bool,
}

impl Dots {
    /// Reads the patterns of a hook.
    pub(super) fn of(patterns: &[String]) -> Self {
        let mut expanded = Vec::new();
        let whole = patterns.iter().all(|pattern| expand(pattern, &mut expanded));
        let names: Vec<&str> = expanded
            .iter()
            .flat_map(|pattern| pattern.split('/'))
            .filter(|name| name.starts_with('.') && !matches!(*name, "." | ".."))
            .collect();
        match Globs::new(names.iter().copied()) {
            _ if names.is_empty() => Dots { said: None, all: !whole || patterns.is_empty() },
            Ok(said) => Dots { said: Some(said), all: !whole },
            Err(_) => Dots { said: None, all: true },
        }
    }

    /// Returns true where each name of the path that begins with a dot is one that the patterns say.
    pub(super) fn let_through(&self, file: &str) -> bool {
        let hidden = |name: &&str| name.starts_with('.') && !matches!(*name, "." | "..");
        let said = |name: &str| self.said.as_ref().is_some_and(|said| said.is_match(name));
        self.all || file.split('/').filter(hidden).all(said)
    }
}

/// Adds a pattern with each choice of its braces; `false` where that would be too many.
fn expand(pattern: &str, all: &mut Vec<String>) -> bool {
    let mut left = vec![pattern.to_owned()];
    while let Some(one) = left.pop() {
        if all.len() + left.len() >= MAX_PATTERNS {
            return false;
        }
        match first_braces(&one) {
            Some((before, choices, after)) => {
                left.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
            }
            None => all.push(one),
        }
    }
    true
}

/// Returns the text before the first braces, the choices in them, and the text behind them.
fn first_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = pattern.find('{')?;
    let inside = pattern.get(open + 1..)?;
    let (mut depth, mut from, mut choices) = (0_usize, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                choices.push(inside.get(from..at)?);
                from = at + 1;
            }
            '}' => {
                choices.push(inside.get(from..at)?);
                return Some((pattern.get(..open)?, choices, inside.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As picomatch has it with `dot: false`.
    #[test]
    fn a_star_takes_no_dot_file_unless_the_pattern_says_the_dot() {
        for (pattern, file, expected) in [
            ("*.go", "main.go", true),
            ("*.go", ".hidden.go", false),
            ("*.go", ".cache/main.go", false),
            ("**/*.go", "a/.b/main.go", false),
            ("**/*.go", "a/b/main.go", true),
            (".*.go", ".hidden.go", true),
            (".github/**", ".github/workflows/ci.yml", true),
            (".github/**", ".github/.secret", false),
            (".github/.*", ".github/.secret", true),
            ("{.github,src}/**/*.yml", ".github/workflows/ci.yml", true),
            ("{.github,src}/**/*.yml", ".circleci/ci.yml", false),
            ("**/.{env,npmrc}", "a/.npmrc", true),
            ("**/{.env,{.npmrc,x}}", "a/.npmrc", true),
            ("**/.{env,npmrc}", "a/.other", false),
            ("./src/*.go", "src/a.go", true),
            ("{unclosed", ".x", false),
        ] {
            assert_eq!(Dots::of(&[pattern.to_owned()]).let_through(file), expected, "{pattern} on {file}");
        }
        let many = "{a,b}".repeat(20);
        assert!(Dots::of(&[many]).let_through(".x"), "not known");
        assert!(Dots::of(&[]).let_through(".x"), "no pattern is about every file");
    }
}
