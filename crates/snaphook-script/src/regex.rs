//! `snaphook.regex`: regular expressions in linear time, whatever the pattern. Compiled ones are kept, because scripts
//! pass patterns as text.

use std::collections::HashMap;

use parking_lot::Mutex;
use regex::{Captures, Regex, RegexBuilder};

/// The number of compiled patterns that are kept.
const MAX_KEPT: usize = 64;
/// The number of groups that all matches of one `find_all` may have together: scripts must not fill the host's
/// memory, which their own limit does not count.
const MAX_GROUPS: usize = 100_000;
/// The compiled size of one pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The longest pattern, in bytes: reading one takes thousands of times its size before the compiled size is known.
const MAX_PATTERN_BYTES: usize = 16 << 10;

/// Compiled patterns by their text.
#[derive(Debug, Default)]
pub struct Cache(Mutex<HashMap<String, Regex>>);

/// A match: its text, and its groups by number (from 1) and by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The text that matched.
    pub text: String,
    /// The groups; `None` for one that took no part.
    pub groups: Vec<Option<String>>,
    /// The named groups that took part.
    pub names: Vec<(String, String)>,
}

/// The reason why a pattern or a replacement is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegexError {
    /// The pattern is too long.
    #[error("a regular expression may have {MAX_PATTERN_BYTES} bytes, not {0}")]
    TooLong(usize),
    /// The pattern is not a regular expression, or too big once it is compiled.
    #[error("\"{pattern}\" is not a regular expression: {message}")]
    Invalid {
        /// The pattern.
        pattern: String,
        /// The problem with it.
        message: String,
    },
    /// The text could grow over so many bytes.
    #[error("the replaced text may get longer than {0} bytes")]
    ReplacedTooLong(usize),
}

/// Compiles one pattern within bounds.
///
/// # Errors
/// The pattern is not a regular expression, or too big.
pub fn compile(pattern: &str) -> Result<Regex, RegexError> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(RegexError::TooLong(pattern.len()));
    }
    let built =
        RegexBuilder::new(pattern).size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES).build();
    built.map_err(|error| {
        // The library draws the pattern over several lines; the last says what is wrong.
        let text = error.to_string();
        let message = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        RegexError::Invalid { pattern: pattern.to_owned(), message }
    })
}

/// The pattern that matches this text only.
pub fn escape(text: &str) -> String {
    regex::escape(text)
}

impl Cache {
    fn get(&self, pattern: &str) -> Result<Regex, RegexError> {
        if let Some(regex) = self.0.lock().get(pattern) {
            return Ok(regex.clone());
        }
        // Not under the lock: another hook must not wait for this one's pattern.
        let regex = compile(pattern)?;
        let mut kept = self.0.lock();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(pattern.to_owned(), regex.clone());
        Ok(regex)
    }

    /// Returns whether the pattern matches anywhere.
    ///
    /// # Errors
    /// As [`compile`]; the same for the others.
    pub fn matches(&self, pattern: &str, text: &str) -> Result<bool, RegexError> {
        Ok(self.get(pattern)?.is_match(text))
    }

    /// The first match.
    pub fn find(&self, pattern: &str, text: &str) -> Result<Option<Match>, RegexError> {
        let regex = self.get(pattern)?;
        Ok(regex.captures(text).map(|found| read(&regex, &found)))
    }

    /// The first `limit` matches, of which there may be at most 100,000 divided by the pattern's groups.
    pub fn find_all(&self, pattern: &str, text: &str, limit: usize) -> Result<Vec<Match>, RegexError> {
        let regex = self.get(pattern)?;
        let limit = limit.min(MAX_GROUPS / regex.captures_len());
        Ok(regex.captures_iter(text).take(limit).map(|found| read(&regex, &found)).collect())
    }

    /// The text with every match replaced; `$1` and `${name}` stand for groups, `$$` for a dollar. At most `most` bytes.
    pub fn replace(&self, pattern: &str, text: &str, by: &str, most: usize) -> Result<String, RegexError> {
        let regex = self.get(pattern)?;
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        let mentions = by.matches('$').count();
        for found in regex.captures_iter(text) {
            let Some(whole) = found.get(0) else { continue };
            out.push_str(&text[done..whole.start()]);
            // Before it is done: one replacement alone can be as long as its groups times their mentions.
            let longest = whole.len().saturating_mul(mentions).saturating_add(by.len());
            if out.len().saturating_add(longest) > most {
                return Err(RegexError::ReplacedTooLong(most));
            }
            found.expand(by, &mut out);
            done = whole.end();
        }
        out.push_str(&text[done..]);
        Ok(out)
    }
}

fn read(regex: &Regex, found: &Captures<'_>) -> Match {
    let text_of = |index: usize| found.get(index).map(|group| group.as_str().to_owned());
    let named = regex.capture_names().flatten();
    let names = named.filter_map(|name| Some((name.to_owned(), found.name(name)?.as_str().to_owned())));
    Match {
        text: text_of(0).unwrap_or_default(),
        groups: (1..found.len()).map(text_of).collect(),
        names: names.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_do_with_patterns() {
        let cache = Cache::default();
        assert_eq!(cache.matches("^rm ", "rm x"), Ok(true));
        let found = cache.find(r"(?<key>\w+)=(\d+)?", "a=").unwrap().unwrap();
        assert_eq!((found.text.as_str(), found.groups), ("a=", vec![Some("a".into()), None]));
        assert_eq!(found.names, [("key".into(), "a".into())]);
        assert_eq!(cache.find_all("a", "aaa", 2).unwrap().len(), 2);
        assert_eq!(cache.replace(r"(\w)(\w)", "abcd", "$2$1", 100), Ok("badc".to_owned()));
        assert!(cache.matches(&"a".repeat(MAX_PATTERN_BYTES), "a").is_ok());
        assert!(cache.matches(&"a".repeat(MAX_PATTERN_BYTES + 1), "a").is_err());
        assert!(cache.replace("a+", &"a".repeat(1000), &"$0".repeat(1000), 100_000).is_err());
        assert_eq!(
            cache.find_all("(a)(a)?(a)?", &"a".repeat(200_000), usize::MAX).unwrap().len(),
            MAX_GROUPS / 4
        );
        assert!(cache.replace("", &"a".repeat(100), &"b".repeat(100), 1000).is_err());
        assert!(cache.matches("(", "").unwrap_err().to_string().contains("is not a regular expression"));
        assert!(cache.matches(r"\w{1000}{1000}", "").is_err());
        (0..200).for_each(|n| assert!(cache.matches(&n.to_string(), "").is_ok()));
    }
}
