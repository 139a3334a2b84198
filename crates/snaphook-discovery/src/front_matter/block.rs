//! Finding the block at the top of a file and cutting its lines out. Not here: what the lines mean.

use super::keys::KNOWN_KEYS;
use crate::diagnostic::Diagnostic;

/// A block is a few lines about a file, not a document.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The kind of file: decides which comments it has and which keys are legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A Luau script: comments start with `--`.
    Lua,
    /// A Rhai script: comments start with `//`.
    Rhai,
    /// An executable or a template, in any language.
    Executable,
}

/// The way the two delimiter lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// `---`, inner lines bare.
    Bare,
    /// `#---`, inner lines behind `#`.
    Hash,
    /// `//---`, inner lines behind `//`.
    Slashes,
    /// `-----` or `-- ---`, inner lines behind `--`.
    Dashes,
}

impl Style {
    /// The comment leader of the inner lines.
    pub fn leader(self) -> &'static str {
        match self {
            Style::Bare => "",
            Style::Hash => "#",
            Style::Slashes => "//",
            Style::Dashes => "--",
        }
    }

    /// The delimiter as it is suggested to people.
    pub fn delimiter(self) -> &'static str {
        match self {
            Style::Bare => "---",
            Style::Hash => "#---",
            Style::Slashes => "//---",
            Style::Dashes => "-----",
        }
    }

    /// The style of a line that is a delimiter and nothing else. Longer rows of dashes are banners.
    pub(super) fn of(line: &str) -> Option<Self> {
        match line.trim() {
            "---" => Some(Style::Bare),
            "#---" | "# ---" => Some(Style::Hash),
            "//---" | "// ---" => Some(Style::Slashes),
            "-----" | "-- ---" => Some(Style::Dashes),
            _ => None,
        }
    }

    fn is_comment_in(self, kind: FileKind) -> bool {
        match kind {
            FileKind::Lua => self == Style::Dashes,
            FileKind::Rhai => self == Style::Slashes,
            FileKind::Executable => self != Style::Bare,
        }
    }
}

/// The lines between two delimiters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The way the delimiters are written.
    pub style: Style,
    /// The line of the opening delimiter, from 1.
    pub open: u32,
    /// The line of the closing delimiter.
    pub close: u32,
    /// The inner lines without their leader: line `n` of it is line `open + n` of the file.
    pub body: String,
}

/// Cuts the block out. It opens on the first line that is neither `#!` nor blank, or not at all.
pub fn split(text: &str, kind: FileKind) -> Result<Option<Block>, Diagnostic> {
    let lines = text.lines().collect::<Vec<_>>();
    let start = usize::from(text.starts_with("#!"));
    let Some(open) = (start..lines.len()).find(|at| !lines[*at].trim().is_empty()) else {
        return Ok(None);
    };
    let Some(style) = Style::of(lines[open]) else { return Ok(None) };
    let inner = &lines[open + 1..];
    let leader = match style {
        Style::Bare if kind == FileKind::Lua => match bare_leader_in_lua(inner) {
            Some(leader) => leader,
            None => return Ok(None),
        },
        style => style.leader(),
    };
    let open_line = number(open);
    let Some(length) = inner.iter().position(|line| Style::of(line) == Some(style)) else {
        let delimiter = style.delimiter();
        return Err(Diagnostic::at(open_line, "front matter is opened here and never closed").help(format!(
            "close it with a line `{delimiter}`; if this line is only a comment, use another number of dashes"
        )));
    };
    let mut body = String::new();
    for (at, line) in inner.iter().take(length).enumerate() {
        match strip_leader(line, leader) {
            Some(stripped) => body.push_str(stripped),
            None => {
                return Err(Diagnostic::at(
                    number(open + 1 + at),
                    format!(
                        "does not start with `{leader}` like the front matter opened on line {open_line}"
                    ),
                )
                .help(format!("start it with `{leader}`, or close the front matter before it")));
            }
        }
        body.push('\n');
        if body.len() > MAX_BODY_BYTES {
            return Err(Diagnostic::at(open_line, "front matter is larger than 64 KiB"));
        }
    }
    Ok(Some(Block { style, open: open_line, close: number(open + 1 + length), body }))
}

/// The line of something that looks like front matter but is not at the top, where it would be read.
pub fn misplaced(text: &str, kind: FileKind) -> Option<u32> {
    const LOOKED_AT: usize = 50;
    let lines = text.lines().take(LOOKED_AT).collect::<Vec<_>>();
    lines
        .windows(2)
        .position(|pair| {
            Style::of(pair[0]).is_some_and(|style| {
                style.is_comment_in(kind)
                    && strip_leader(pair[1], style.leader()).is_some_and(starts_with_known_key)
            })
        })
        .map(number)
}

/// The text with the `#!` line emptied, and the block too where its lines are no comments in the language. Line
/// breaks stay, so that every other line keeps its number. `None` when nothing has to change.
pub fn blank(text: &str, block: Option<&Block>, kind: FileKind) -> Option<String> {
    let shebang = text.starts_with("#!");
    let block = block.filter(|block| block.style == Style::Bare || !block.style.is_comment_in(kind));
    if !shebang && block.is_none() {
        return None;
    }
    let mut blanked = String::with_capacity(text.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let line_number = number(at);
        let drop = (shebang && at == 0)
            || block.is_some_and(|block| (block.open..=block.close).contains(&line_number));
        if drop {
            blanked.push_str(if line.ends_with('\n') { "\n" } else { "" });
        } else {
            blanked.push_str(line);
        }
    }
    Some(blanked)
}

/// In Lua a lone `---` is also an empty doc comment. It opens front matter only when the next line is a `key:` line,
/// bare (which no Lua is) or behind `--` with a key that front matter knows. Gives the leader of the inner lines.
fn bare_leader_in_lua(inner: &[&str]) -> Option<&'static str> {
    let first =
        inner.iter().map(|line| line.trim()).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    if first.starts_with("---") {
        return None;
    }
    match strip_leader(first, "--") {
        Some(stripped) => starts_with_known_key(stripped).then_some("--"),
        None => key_of(first).map(|_| ""),
    }
}

fn starts_with_known_key(line: &str) -> bool {
    key_of(line).is_some_and(|key| KNOWN_KEYS.contains(&key))
}

/// The key of a `key: value` line.
fn key_of(line: &str) -> Option<&str> {
    let (key, value) = line.trim_start().split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (is_key && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(key)
}

/// A line without its leader and one space; blank lines need no leader. Indentation after that is YAML's.
fn strip_leader<'a>(line: &'a str, leader: &str) -> Option<&'a str> {
    if leader.is_empty() {
        return Some(line);
    }
    let trimmed = line.trim_start();
    if trimmed.is_empty() {
        return Some("");
    }
    let rest = trimmed.strip_prefix(leader)?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// The line number of an index.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1)
}
