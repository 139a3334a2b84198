//! Words of a command as paths: what is known of them is text, the rest stands for anything. Not here: what a command does
//! with them (`shell`).

use std::path::{Path, PathBuf};

use snaphook_shell::{Why, Word};

use super::paths::{Ways, fold, lexical};
use super::places::{Guard, Places, Touch};
use super::tables::{PECULIAR, REGISTERS};

/// Stands for any text; for any text without a slash (file name patterns).
const ANY: char = '\u{1}';
const GLOB: char = '\u{2}';

/// The longest path that systems open, in bytes, and some more.
const MAX_PATH: usize = 8192;

/// A word of a shell as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    text: String,
    /// How much at the start is a folder that a variable stood for, and says nothing about what was meant.
    base: usize,
}

/// What words stand for outside of the text.
pub(super) struct Scope<'a> {
    pub(super) places: &'a Places,
    pub(super) ways: &'a Ways,
    pub(super) project: &'a Path,
    /// Where the shell may stand; `None` for somewhere that is not known.
    pub(super) cwds: Vec<Option<PathBuf>>,
    /// The text itself changes what variables stand for.
    pub(super) reassigns: bool,
}

impl Scope<'_> {
    fn variable(&self, name: &str) -> Option<PathBuf> {
        if self.reassigns {
            return None;
        }
        match name {
            "PWD" => self.cwds.first().cloned().flatten(),
            "CLAUDE_PROJECT_DIR" | "GEMINI_PROJECT_DIR" => Some(self.project.to_owned()),
            name => self.places.variable(name),
        }
    }

    /// What the word may be as a path.
    pub(super) fn patterns(&self, word: &Word) -> Vec<Pattern> {
        match word {
            Word::Known(text) => vec![Pattern { text: text.clone(), base: 0 }],
            // Another program fills it in: `{}` of `find`, arguments of `xargs`.
            Word::Unknown { text, why: Why::Expansion, .. } if !text.contains(['$', '`']) => {
                vec![Pattern { text: ANY.to_string(), base: 0 }]
            }
            Word::Unknown { text, prefix, .. } => {
                let mut patterns = vec![self.read(text)];
                if !prefix.is_empty() {
                    patterns.push(Pattern { text: format!("{prefix}{ANY}"), base: 0 });
                }
                patterns
            }
        }
    }

    /// Reads a word's source text.
    pub(super) fn read(&self, source: &str) -> Pattern {
        let mut pattern = Pattern { text: String::new(), base: 0 };
        if source.len() > MAX_PATH {
            pattern.text.push(ANY);
            return pattern;
        }
        let chars: Vec<char> = source.chars().collect();
        let mut at = 0;
        let mut quote: Option<char> = None;
        while let Some(&c) = chars.get(at) {
            at += 1;
            match c {
                '\'' | '"' if quote.is_none() => quote = Some(c),
                _ if quote == Some(c) => quote = None,
                '\\' if quote != Some('\'') => {
                    pattern.text.extend(chars.get(at));
                    at += 1;
                }
                '~' if quote.is_none() && pattern.text.is_empty() => {
                    // `~name` is somebody's home as well; most likely this one.
                    while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')) {
                        at += 1;
                    }
                    self.expand("HOME", &mut pattern);
                }
                '$' if quote != Some('\'') => {
                    let rest: String = chars.iter().skip(at).collect();
                    let (name, length) = variable(&rest);
                    at += length;
                    match name {
                        Some(name) => self.expand(&name, &mut pattern),
                        None => pattern.text.push(ANY),
                    }
                }
                '`' if quote != Some('\'') => {
                    at += chars.iter().skip(at).take_while(|c| **c != '`').count() + 1;
                    pattern.text.push(ANY);
                }
                '*' | '?' if quote.is_none() => pattern.text.push(GLOB),
                '[' if quote.is_none() => {
                    at += chars.iter().skip(at).take_while(|c| !matches!(c, ']' | '/')).count();
                    at += usize::from(chars.get(at) == Some(&']'));
                    pattern.text.push(GLOB);
                }
                c => pattern.text.push(c),
            }
        }
        pattern
    }

    fn expand(&self, name: &str, pattern: &mut Pattern) {
        match self.variable(name).filter(|_| pattern.text.is_empty()) {
            Some(path) => {
                pattern.text = path.to_string_lossy().into_owned();
                pattern.base = pattern.text.len();
            }
            None => pattern.text.push(ANY),
        }
    }

    /// Whether what the pattern stands for is guarded.
    pub(super) fn guard(&self, pattern: &Pattern, touch: Touch, removes: bool) -> Option<Guard> {
        let text = pattern.text.as_str();
        // What is longer than a path can be opens nothing.
        if text.is_empty() || text.len() > MAX_PATH {
            return None;
        }
        let mut found = None;
        for cwd in &self.cwds {
            let one = match cwd {
                Some(cwd) if !pattern.is_open() => {
                    self.places.look(self.ways, &cwd.join(text), cwd, touch, removes)
                }
                Some(cwd) => self.may_be(pattern, Some(cwd)),
                None if Path::new(text).is_absolute() && !pattern.is_open() => {
                    self.places.look(self.ways, Path::new(text), self.project, touch, removes)
                }
                None => {
                    let open = Pattern { text: format!("{ANY}/{text}"), base: 0 };
                    self.may_be(if pattern.text.starts_with([ANY, '/']) { pattern } else { &open }, None)
                }
            };
            found = super::places::strictest(found, one);
        }
        found
    }

    /// Whether a pattern that is not wholly known may be a guarded path, and says so by what is known of it.
    fn may_be(&self, pattern: &Pattern, cwd: Option<&Path>) -> Option<Guard> {
        let (text, base) = match cwd {
            Some(cwd) if !pattern.text.starts_with([ANY, '/']) => {
                let cwd = cwd.to_string_lossy();
                (format!("{cwd}/{}", pattern.text), cwd.len() + 1)
            }
            _ => (pattern.text.clone(), pattern.base),
        };
        let own = text.get(base..).unwrap_or_default().trim_start_matches('/').to_owned();
        let known: String = own.chars().take_while(|c| !matches!(*c, ANY | GLOB)).collect();
        let wild: Vec<char> =
            lexical(Path::new(&text)).to_string_lossy().chars().flat_map(char::to_lowercase).collect();
        let tail = own.rsplit([ANY]).next().unwrap_or_default().to_lowercase();
        let suggests = |names: &[String]| {
            let last = names.last().map(String::as_str).unwrap_or_default();
            let two = names.get(names.len().saturating_sub(2)..).unwrap_or_default().join("/");
            let whole = |part: &str| tail == part || tail.ends_with(&format!("/{part}"));
            known.chars().any(char::is_alphanumeric)
                || !own.contains(ANY)
                || whole(&two)
                || (PECULIAR.contains(&last) && whole(last))
        };
        for (names, what) in self.places.names() {
            let path: Vec<char> = format!("/{}", names.join("/")).chars().collect();
            if matches(&wild, &path) && suggests(&names) {
                return Some(Guard::Ask(what));
            }
        }
        // Those that are guarded wherever they stand: in the folder of the call, or behind what is not known.
        for (parts, what) in REGISTERS {
            let names: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            let joined = names.join("/");
            let lead = cwd.map(|cwd| fold(&cwd.to_string_lossy())).unwrap_or_default();
            for path in [format!("{lead}/{joined}"), format!("/{joined}")] {
                let path: Vec<char> = path.chars().collect();
                if matches(&wild, &path) && suggests(&names) {
                    return Some(Guard::Ask(what));
                }
            }
        }
        None
    }
}

impl Pattern {
    /// Whether something of it is not known.
    pub(super) fn is_open(&self) -> bool {
        self.text.contains([ANY, GLOB])
    }

    /// Whether it may be any text, not only what matches a file name pattern.
    pub(super) fn is_any(&self) -> bool {
        self.text.contains(ANY)
    }

    pub(super) fn known(text: impl Into<String>) -> Self {
        Pattern { text: text.into(), base: 0 }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The same file name in that folder.
    pub(super) fn in_folder(&self, folder: &Pattern) -> Pattern {
        let name = self.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        Pattern { text: format!("{}/{name}", folder.text.trim_end_matches('/')), base: folder.base }
    }
}

/// The variable's name after a `$`, where it is a plain one, and how many characters it takes.
fn variable(rest: &str) -> (Option<String>, usize) {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let closed = |close: char, open: char| {
        let mut depth = 0_usize;
        for (at, c) in rest.chars().enumerate() {
            depth += usize::from(c == open);
            depth -= usize::from(c == close && depth > 0);
            if depth == 0 {
                return at + 1;
            }
        }
        rest.chars().count()
    };
    match rest.chars().next() {
        Some('{') => {
            let inner = name(rest.get(1..).unwrap_or_default());
            let length = closed('}', '{');
            let plain = inner.chars().count() + 2 == length
                || rest
                    .get(1 + inner.len()..)
                    .is_some_and(|more| more.starts_with(":-") || more.starts_with('-'));
            (Some(inner).filter(|_| plain), length)
        }
        Some('(') => (None, closed(')', '(')),
        Some(c) if c.is_alphabetic() || c == '_' => {
            let name = name(rest);
            let length = name.chars().count();
            (Some(name), length)
        }
        Some('\'' | '"') | None => (None, 0),
        Some(_) => (None, 1),
    }
}

/// Whether a pattern can stand for a path, or for something below it.
fn matches(pattern: &[char], path: &[char]) -> bool {
    // reached[i]: the first i of the path can be what the pattern's beginning stands for.
    let mut reached = vec![false; path.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for c in pattern {
        if *c == '/' && reached.last() == Some(&true) {
            return true;
        }
        let mut next = vec![false; path.len() + 1];
        let mut carried = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or_default();
            let before = at.checked_sub(1).and_then(|at| path.get(at)).copied();
            let came = at.checked_sub(1).and_then(|at| reached.get(at)).copied().unwrap_or_default();
            carried = match *c {
                ANY => carried || here,
                // A file name pattern does not match the dot that a name begins with.
                GLOB => {
                    let hidden = before == Some('.') && at >= 2 && path.get(at - 2) == Some(&'/');
                    here || (carried && before != Some('/') && !hidden)
                }
                c => came && before == Some(c),
            };
            *slot = carried;
        }
        reached = next;
    }
    reached.last() == Some(&true)
}
