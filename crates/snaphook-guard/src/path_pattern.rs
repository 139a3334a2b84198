//! Words of a command as paths: what is known of them is text, the rest stands for anything. Not here: what a command does
//! with them (`shell`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use snaphook_shell::{Why, Word};

use crate::glob::{ANY, DOTS, GLOB, Match, bracket, like, matches};
use crate::guarded_files::{PECULIAR, PROJECT_HOOKS, REGISTERS};
use crate::parts::{self, ansi, braces, group, is_earlier};
use crate::paths::{Ways, folded, lexical};
use crate::places::{Guard, Places, Touch, joined};

/// The longest path that systems open, in bytes, and some more.
const MAX_PATH: usize = 8192;

/// A word of a shell as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    text: String,
    /// The amount at the start that is a folder that a variable stood for, and says nothing about what was meant.
    base: usize,
}

/// A look at a pattern: what happens to it, whether it is taken away, and in how many folders.
pub(crate) type Look = (Pattern, Touch, bool, usize);

/// The values that words stand for outside of the text.
pub(crate) struct Scope<'a> {
    pub(crate) places: &'a Places,
    pub(crate) ways: &'a Ways,
    pub(crate) project: &'a Path,
    /// The place where the shell may stand; `None` for somewhere that is not known.
    pub(crate) cwds: Vec<Option<PathBuf>>,
    /// The certain part of folders that are not known: the names at their end, from the last unknown one on.
    pub(crate) tails: Vec<PathBuf>,
    /// The text itself changes what variables stand for.
    pub(crate) reassigns: bool,
    /// `CDPATH` may have `cd` lead elsewhere.
    pub(crate) elsewhere: bool,
    /// There are more folders than `cwds` has.
    pub(crate) overflows: bool,
    /// Variables that are paths in a home.
    pub(crate) values: Vec<(String, String)>,
    /// File name patterns match hidden names.
    pub(crate) dots: bool,
    /// The marks that `xargs` and the like put something else in the place of.
    pub(crate) marks: Vec<String>,
    /// The number of texts that this one is inside of.
    pub(crate) depth: usize,
    /// The earlier findings, by the number of folders: they are only added to.
    pub(crate) known: RefCell<HashMap<Look, Option<Guard>>>,
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

    /// Returns what the word may be as a path.
    pub(crate) fn patterns(&self, word: &Word) -> Vec<Pattern> {
        match word {
            Word::Known(text) => vec![Pattern { text: text.clone(), base: 0 }],
            Word::Unknown { text, prefix, why, .. } => {
                // Another program fills it in: `{}` of `find`, a mark or arguments of `xargs`.
                let filled = parts::filled(text, &self.marks);
                let bare = !text.contains(['$', '`', '*', '?', '[', '~']) && braces(text).len() < 2;
                if *why == Why::Expansion && bare && !filled.contains(ANY) {
                    return vec![Pattern { text: ANY.to_string(), base: 0 }];
                }
                let mut patterns: Vec<_> = braces(&filled).iter().map(|text| self.read(text)).collect();
                let valued = parts::with_values(text, &self.values);
                patterns.extend(valued.map(|text| self.read(&text)));
                if !prefix.is_empty() {
                    patterns.push(Pattern { text: format!("{prefix}{ANY}"), base: 0 });
                }
                patterns
            }
        }
    }

    /// Reads a word's source text.
    pub(crate) fn read(&self, source: &str) -> Pattern {
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
                // A folder that the shell was in before.
                '~' if quote.is_none() && pattern.text.is_empty() && is_earlier(&chars, at) => {
                    while chars.get(at).is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+')) {
                        at += 1;
                    }
                    pattern.text.push(ANY);
                }
                '~' if quote.is_none() && pattern.text.is_empty() => {
                    // `~name` is somebody's home as well; most likely this one.
                    while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')) {
                        at += 1;
                    }
                    self.expand("HOME", &mut pattern);
                }
                '$' if quote.is_none() && chars.get(at) == Some(&'\'') => {
                    let (value, end) = ansi(&chars, at + 1);
                    pattern.text += &value;
                    at = end;
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
                // Braces that were too many to be told apart, and patterns of `extglob`.
                '{' if quote.is_none() && group(&chars, at, '{', '}').is_some() => {
                    at = group(&chars, at, '{', '}').unwrap_or(at);
                    pattern.text.push(ANY);
                }
                '@' | '+' | '!' | '*' | '?' if quote.is_none() && chars.get(at) == Some(&'(') => {
                    let end = group(&chars, at + 1, '(', ')').unwrap_or(chars.len());
                    let inside = chars.get(at..end).unwrap_or_default();
                    // A choice of names, or what zsh is to take into account: `*(D)` are hidden ones, too.
                    pattern.text.push(match () {
                        () if inside.iter().any(|c| matches!(c, '/' | '$' | '`')) => ANY,
                        () if inside.iter().any(|c| matches!(c, '.' | 'D')) => DOTS,
                        () => self.glob(),
                    });
                    at = end;
                }
                // `**` goes into folders, where a shell is told so.
                '*' if quote.is_none() && chars.get(at) == Some(&'*') => {
                    at += 1;
                    pattern.text.push(ANY);
                }
                '*' | '?' if quote.is_none() => pattern.text.push(self.glob()),
                '[' if quote.is_none() => {
                    let (length, is_plain) = bracket(chars.get(at..).unwrap_or_default());
                    at += length;
                    pattern.text.push(if is_plain { self.glob() } else { ANY });
                }
                c => pattern.text.push(c),
            }
        }
        pattern
    }

    /// The meaning of `*` in this text.
    fn glob(&self) -> char {
        if self.dots { DOTS } else { GLOB }
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

    /// Returns whether what the pattern stands for is guarded.
    pub(crate) fn guard(&self, pattern: &Pattern, touch: Touch, removes: bool) -> Option<Guard> {
        let text = pattern.text.as_str();
        // What is longer than a path can be opens nothing.
        if text.is_empty() || text.len() > MAX_PATH {
            return None;
        }
        let key = (pattern.clone(), touch, removes, self.cwds.len());
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let mut found = None;
        for cwd in &self.cwds {
            let one = match cwd {
                Some(cwd) if !pattern.is_open() => {
                    self.places.look(self.ways, &cwd.join(text), cwd, touch, removes)
                }
                Some(cwd) => self.may_be(pattern, Some(cwd), touch, removes),
                None if Path::new(text).is_absolute() && !pattern.is_open() => {
                    self.places.look(self.ways, Path::new(text), self.project, touch, removes)
                }
                None => {
                    let open = Pattern { text: format!("{ANY}/{text}"), base: 0 };
                    let pattern = if pattern.text.starts_with([ANY, '/']) { pattern } else { &open };
                    self.may_be(pattern, None, touch, removes)
                }
            };
            found = crate::places::strictest(found, one);
        }
        self.known.borrow_mut().insert(key, found);
        found
    }

    /// Returns whether a word is a path of snaphook's program.
    pub(crate) fn names_program(&self, word: &Word) -> bool {
        let is_program = |path: &Pattern| self.guard(path, Touch::Write, false) == Some(Guard::Program);
        self.patterns(word).iter().any(is_program)
    }

    /// Returns whether a pattern that is not wholly known may be a guarded path, and says so by what is known of it.
    fn may_be(&self, pattern: &Pattern, cwd: Option<&Path>, touch: Touch, removes: bool) -> Option<Guard> {
        let (text, base) = match cwd {
            Some(cwd) if !pattern.text.starts_with([ANY, '/']) => {
                let cwd = cwd.to_string_lossy();
                (format!("{cwd}/{}", pattern.text), cwd.len() + 1)
            }
            _ => (pattern.text.clone(), pattern.base),
        };
        let own = text.get(base..).unwrap_or_default().trim_start_matches('/').to_owned();
        let known: String = own.chars().take_while(|c| !matches!(*c, ANY | GLOB | DOTS)).collect();
        // `../.cl*`: the folder before it may be no part of the path.
        let plain = lexical(Path::new(&text)).to_string_lossy().into_owned();
        let wild =
            [Some(text.clone()), self.behind_links(&text, cwd), self.behind_links(&plain, cwd), Some(plain)];
        let mut wild: Vec<Vec<char>> = wild.into_iter().flatten().map(|text| folded_chars(&text)).collect();
        wild.sort_unstable();
        wild.dedup();
        let tail = own.rsplit([ANY]).next().unwrap_or_default().to_lowercase();
        let is_glob = !own.contains(ANY);
        let named = known.chars().any(char::is_alphanumeric);
        // Of `$x` nothing is certain, so nothing suggests that it is one of them.
        if !named && !is_glob && tail.is_empty() {
            return None;
        }
        let suggests = |names: &[String]| {
            let last = names.last().map(String::as_str).unwrap_or_default();
            let two = names.get(names.len().saturating_sub(2)..).unwrap_or_default().join("/");
            let whole = |part: &str| tail == part || tail.ends_with(&format!("/{part}"));
            // `${d}hook/config.toml`: more than a file's name is certain
            let more = tail.len() > last.len() + 1 && two.ends_with(&tail);
            let peculiar = PECULIAR.contains(&last) || last.starts_with('.');
            named || is_glob || whole(&two) || more || (peculiar && whole(last))
        };
        // What a file name pattern stands for is there.
        let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
        // `"$d/.config"`: which folder it is stands there.
        let telling = is_telling(Path::new(tail.trim_start_matches('/')));
        let from_above =
            matches!(touch, Touch::Tree | Touch::Mode | Touch::Below) && (is_glob || named || telling);
        let hits = |names: &[String], real: &Path| {
            let path: Vec<char> = format!("/{}", names.join("/")).chars().collect();
            let hit = wild.iter().map(|wild| matches(wild, &path)).max().unwrap_or(Match::No);
            match hit {
                Match::No => false,
                Match::Above => from_above && is_there(real),
                Match::Whole if suggests(names) => !is_glob || is_there(real),
                // It may stand for anything below as well, which says nothing; but its end is a folder's above.
                Match::Whole => from_above && telling && ends_above(names, &tail) && is_there(real),
            }
        };
        for (path, names, what) in self.places.names() {
            if hits(&names, &path) {
                return Some(Guard::Ask(what));
            }
        }
        if !matches!(touch, Touch::Into | Touch::Below) {
            if self.places.programs.iter().any(|(path, names)| hits(names, path)) {
                return Some(if is_glob { Guard::Program } else { Guard::Ask("snaphook's own program") });
            }
            if Places::executables(self.project).iter().any(|path| hits(&folded(path), path)) {
                return Some(Guard::Ask(
                    "an executable hook of the project, which may be no hook any more then",
                ));
            }
        }
        // Those that are guarded wherever they stand: in the folder of the call, or behind what is not known.
        let hooks = PROJECT_HOOKS.iter().map(|parts| (*parts, "the project's hooks"));
        let hooks = hooks.filter(|_| removes || touch == Touch::Mode);
        for (parts, what) in REGISTERS.iter().copied().chain(hooks) {
            let here = joined(cwd.unwrap_or(Path::new("/")), parts);
            let anywhere = joined(Path::new("/"), parts);
            if hits(&folded(&here), &here) || here != anywhere && hits(&folded(&anywhere), &anywhere) {
                return Some(Guard::Ask(what));
            }
        }
        None
    }

    /// The names below a folder on the way to each guarded path in it that is there, hooks of the project among them.
    pub(crate) fn guarded_below(&self, pattern: &Pattern) -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for cwd in self.cwds.iter().flatten() {
            let start = self.ways.physical(&cwd.join(pattern.text()), cwd);
            let start = folded(&start);
            let hooks = PROJECT_HOOKS.iter().map(|parts| joined(self.project, parts));
            let guarded = self.places.names().map(|(path, _, _)| path.into_owned());
            let programs = self.places.programs.iter().map(|(path, _)| path.clone());
            for path in guarded.chain(hooks).chain(programs) {
                let names = folded(&path);
                let inside =
                    names.strip_prefix(&start[..]).filter(|_| std::fs::symlink_metadata(&path).is_ok());
                let Some(inside) = inside else { continue };
                let entries = std::fs::read_dir(&path).into_iter().flatten().flatten().take(200);
                all.push(inside.to_vec());
                all.extend(entries.map(|entry| vec![entry.file_name().to_string_lossy().to_lowercase()]));
            }
        }
        all
    }

    /// The guarded folders, and those on the way to them, that a pattern for a folder can stand for.
    pub(crate) fn guarded_folders(&self, pattern: &Pattern) -> Vec<PathBuf> {
        if pattern.is_any() {
            return Vec::new();
        }
        let wild = self.cwds.iter().flatten().map(|cwd| cwd.join(pattern.text()));
        self.folders_like(&wild.map(|wild| folded_chars(&wild.to_string_lossy())).collect::<Vec<_>>())
    }

    /// The same for a folder of which these names at the end are certain. Names that many folders have say nothing.
    pub(crate) fn guarded_folders_ending(&self, tail: &Path) -> Vec<PathBuf> {
        if !is_telling(tail) {
            return Vec::new();
        }
        self.folders_like(&[folded_chars(&format!("{ANY}/{}", tail.to_string_lossy()))])
    }

    fn folders_like(&self, wild: &[Vec<char>]) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for (path, _, _) in self.places.names() {
            for folder in path.ancestors().filter(|folder| folder.is_dir()) {
                let names: Vec<char> = format!("/{}", folded(folder).join("/")).chars().collect();
                let is_like = wild.iter().any(|wild| matches(wild, &names) == Match::Whole);
                if is_like && !folders.iter().any(|known| known == folder) {
                    folders.push(folder.to_owned());
                }
            }
        }
        folders
    }

    /// The text with the folder at its start, which is known, as it is when links are followed.
    fn behind_links(&self, text: &str, cwd: Option<&Path>) -> Option<String> {
        let known = text.find([ANY, GLOB, DOTS])?;
        let folder = text.get(..known)?.rfind('/').filter(|at| *at > 0)?;
        let (folder, rest) = (text.get(..folder)?, text.get(folder..)?);
        let real = self.ways.physical(Path::new(folder), cwd.unwrap_or(Path::new("/")));
        (real != Path::new(folder)).then(|| format!("{}{rest}", real.to_string_lossy()))
    }
}

/// Returns whether the names at the end of a path say which one it is: a hidden folder's, or snaphook's own.
fn is_telling(tail: &Path) -> bool {
    let mut names = tail.iter().map(|name| name.to_string_lossy());
    names.any(|name| name.eq_ignore_ascii_case("snaphook") || (name.len() > 2 && name.starts_with('.')))
}

/// Returns whether a folder above a path ends in these names.
fn ends_above(path: &[String], tail: &str) -> bool {
    let tail: Vec<&str> = tail.split('/').filter(|name| !name.is_empty()).collect();
    let folders = (1..path.len()).filter_map(|end| path.get(..end));
    folders.into_iter().any(|folder| {
        folder.iter().rev().zip(tail.iter().rev()).filter(|(a, b)| a == b).count() == tail.len()
    })
}

fn folded_chars(text: &str) -> Vec<char> {
    lexical(Path::new(text)).to_string_lossy().chars().flat_map(char::to_lowercase).collect()
}

impl Pattern {
    /// Returns whether something of it is not known.
    pub(crate) fn is_open(&self) -> bool {
        self.text.contains([ANY, GLOB, DOTS])
    }

    /// Returns whether it may be any text, not only what matches a file name pattern.
    pub(crate) fn is_any(&self) -> bool {
        self.text.contains(ANY)
    }

    /// Returns whether a part of the pattern can stand for this name.
    pub(crate) fn may_be_name(&self, part: &str, name: &str) -> bool {
        let part: Vec<char> = format!("/{part}").chars().collect();
        let name: Vec<char> = format!("/{name}").chars().collect();
        matches(&part, &name) == Match::Whole
    }

    /// The names that are certain at the end of a path which is not known: whole ones, from the last unknown one on.
    pub(crate) fn tail(&self) -> Option<&Path> {
        let behind = self.text.rfind([ANY, GLOB, DOTS]).and_then(|at| self.text.get(at..))?;
        behind.find('/').and_then(|at| behind.get(at + 1..)).filter(|tail| !tail.is_empty()).map(Path::new)
    }

    pub(crate) fn known(text: impl Into<String>) -> Self {
        Pattern { text: text.into(), base: 0 }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A text with `#1` for what nobody knows; none if it has no such sign.
    pub(crate) fn with_numbers(text: &str) -> Option<Pattern> {
        let mut open = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c == '#' && chars.next_if(char::is_ascii_digit).is_some() {
                open.push(ANY);
            } else {
                open.push(c);
            }
        }
        open.contains(ANY).then_some(Pattern { text: open, base: 0 })
    }

    /// A format with `%s` or `{name}` for what nobody knows.
    pub(crate) fn with_places(text: &str) -> Option<Pattern> {
        let mut open = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '%' if chars.peek().is_some_and(|c| c.is_ascii_alphabetic()) => {
                    chars.next();
                    open.push(ANY);
                }
                '{' => {
                    while chars.next_if(|c| *c != '}').is_some() {}
                    chars.next();
                    open.push(ANY);
                }
                c => open.push(c),
            }
        }
        open.contains(ANY).then_some(Pattern { text: open, base: 0 })
    }

    /// Returns whether its last names can stand for these.
    pub(crate) fn may_end_in(&self, parts: &[&str]) -> bool {
        let text = self.text.to_lowercase().replace(ANY, "*");
        let names: Vec<&str> = text.split('/').collect();
        let last = names.get(names.len().saturating_sub(parts.len())..).unwrap_or_default();
        last.len() == parts.len()
            && last.iter().any(|name| *name != "*")
            && last.iter().zip(parts).all(|(name, part)| like(name, part))
    }

    /// A path on another host without the host's name.
    pub(crate) fn behind_host(self) -> Pattern {
        match self.text.split_once(':').filter(|(host, _)| !host.contains('/')) {
            Some((_, path)) => Pattern::known(path.rsplit("//").next().unwrap_or(path)),
            None => self,
        }
    }

    /// The same file name in that folder.
    pub(crate) fn in_folder(&self, folder: &Pattern) -> Pattern {
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
