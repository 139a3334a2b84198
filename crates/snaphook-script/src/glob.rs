//! `snaphook.glob` and the path patterns of matchers: gitignore's rules over paths as text. A pattern without a slash
//! matches the name at any depth; one with a slash starts at the project's root; a trailing slash means a folder with
//! all in it; `!` takes back; the last pattern that matches decides. Braces work (`*.{ts,tsx}`).

use std::collections::HashMap;
use std::sync::Arc;

use globset::GlobBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use parking_lot::Mutex;

use crate::path;

/// The longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 4096;

/// The number of patterns that one list may have: compiling takes time that no script's budget counts.
const MAX_PATTERNS: usize = 1000;

/// Compiled patterns.
#[derive(Debug, Clone)]
pub struct Globs(Gitignore);

/// The number of compiled lists of patterns that are kept. Scripts pass the same lists over and over.
const MAX_KEPT: usize = 64;
/// The length that the patterns of one list may be together to be kept, in bytes.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// Compiled lists of patterns by their texts.
#[derive(Debug, Default)]
pub struct Cache(Mutex<HashMap<Vec<String>, Arc<Globs>>>);

impl Cache {
    /// Returns whether a path matches a list of patterns.
    ///
    /// # Errors
    /// As of [`Globs::new`].
    pub fn is_match(&self, patterns: &[String], path: &str) -> Result<bool, BadGlob> {
        Ok(self.compiled(patterns)?.is_match(path))
    }

    fn compiled(&self, patterns: &[String]) -> Result<Arc<Globs>, BadGlob> {
        if let Some(globs) = self.0.lock().get(patterns) {
            return Ok(Arc::clone(globs));
        }
        // Not under the lock: another hook must not wait for this one's patterns.
        let globs = Arc::new(Globs::new(patterns.iter().map(String::as_str))?);
        if patterns.iter().map(String::len).sum::<usize>() <= MAX_KEPT_BYTES {
            let mut kept = self.0.lock();
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(patterns.to_vec(), Arc::clone(&globs));
        }
        Ok(globs)
    }
}

/// An invalid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern \"{pattern}\" is not a glob: {message}")]
pub struct BadGlob {
    /// The pattern.
    pub pattern: String,
    /// The problem with it.
    pub message: String,
}

impl Globs {
    /// Compiles patterns.
    ///
    /// # Errors
    /// A pattern that is no glob, or an empty one, which would match nothing without a word; more than 1000 patterns.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, BadGlob> {
        let mut builder = GitignoreBuilder::new("/");
        for (index, pattern) in patterns.into_iter().enumerate() {
            let bad = |message: String| BadGlob { pattern: pattern.to_owned(), message };
            if index >= MAX_PATTERNS {
                return Err(bad(format!("it is one too many, {MAX_PATTERNS} is the most")));
            }
            let plain = pattern.trim();
            if plain.is_empty() || plain == "!" {
                return Err(bad("it is empty".to_owned()));
            }
            if plain.len() > MAX_PATTERN_BYTES {
                return Err(bad(format!("it is longer than {MAX_PATTERN_BYTES} bytes")));
            }
            // The library takes an unclosed class as text, as git does; here it is a slip of the pen.
            GlobBuilder::new(plain.trim_start_matches('!'))
                .build()
                .map_err(|error| bad(error.kind().to_string()))?;
            // A `#` begins a comment in a gitignore file only.
            let line = if plain.starts_with('#') { format!("\\{plain}") } else { plain.to_owned() };
            let line = line.strip_prefix("./").unwrap_or(&line);
            builder.add_line(None, line).map_err(|error| bad(error.to_string()))?;
        }
        let all =
            || BadGlob { pattern: String::new(), message: "the patterns together are too big".to_owned() };
        builder.build().map(Globs).map_err(|_| all())
    }

    /// Returns whether a path matches: relative to the project's root, or absolute for a file outside of it. A file
    /// in a folder that matches does, too.
    pub fn is_match(&self, file: &str) -> bool {
        let normal = path::normalize(file);
        let inside = normal.trim_start_matches("../").trim_start_matches('/');
        if inside.is_empty() || inside == "." || inside == ".." {
            return false;
        }
        self.0.matched_path_or_any_parents(inside, false).is_ignore()
            || self.0.matched_path_or_any_parents(inside, true).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gitignore_rules() {
        for (patterns, path, expected) in [
            (&[".env"][..], ".env", true),
            (&[".env"], "deep/er/.env", true),
            (&[".env"], "/etc/.env", true),
            (&[".env"], "../.env", true),
            (&[".env"], ".env.example", false),
            (&["src/*.rs"], "src/a.rs", true),
            (&["src/*.rs"], "x/src/a.rs", false),
            (&["src/*"], "src/a/b.rs", true),
            (&["src/**/*.ts"], "src/a/b/c.ts", true),
            (&["*.{ts,tsx}"], "a/b.tsx", true),
            (&["secrets/"], "secrets/a/b", true),
            (&["secrets/"], "secrets", true),
            (&["/secrets"], "a/secrets", false),
            (&["*.pem", "!public.pem"], "public.pem", false),
            (&["**/.git/**"], "/p/.git/config", true),
            (&[".git/"], "./.git/hooks/x", true),
            (&["a/../.env"], ".env", false),
            (&[".env"], "src/../.env", true),
            (&["#x"], "#x", true),
        ] {
            let globs = Globs::new(patterns.iter().copied()).unwrap();
            assert_eq!(globs.is_match(path), expected, "{patterns:?} on {path}");
        }
    }

    #[test]
    fn what_is_no_glob_is_an_error() {
        for bad in ["", " ", "a[", "{a"] {
            assert!(Globs::new([bad]).is_err(), "{bad}");
        }
        assert!(Globs::new(std::iter::repeat_n("*.rs", MAX_PATTERNS)).is_ok());
        assert!(Globs::new(std::iter::repeat_n("*.rs", MAX_PATTERNS + 1)).is_err());
    }
}
