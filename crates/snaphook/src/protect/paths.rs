//! Paths as they are compared: without case, dots and links. Not here: which paths are guarded (`places`).

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// How many links are followed on the way of one path, as the system does.
const MAX_LINKS: usize = 40;

/// A path without `.` and `..`, as text would have it: links are not followed.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// Where a path really leads, also if its end does not exist: every link on the way is followed. `cwd` is where a
/// process of the call stands, for `/proc/self/cwd`.
pub(super) fn physical(path: &Path, cwd: &Path) -> PathBuf {
    follow(path, cwd, |path| std::fs::read_link(path).ok())
}

/// Where many paths really lead that have much of their way in common.
#[derive(Default)]
pub(super) struct Ways {
    /// By the text of the path: all are made alike, and to compare paths part by part takes ten times as long.
    links: HashMap<OsString, Option<PathBuf>>,
}

impl Ways {
    /// As [`physical`], of a path that is not meant from within a process.
    pub(super) fn physical(&mut self, path: &Path) -> PathBuf {
        follow(path, path, |path| match self.links.get(path.as_os_str()) {
            Some(target) => target.clone(),
            None => {
                let target = std::fs::read_link(path).ok();
                self.links.insert(path.as_os_str().to_owned(), target.clone());
                target
            }
        })
    }
}

fn follow(path: &Path, cwd: &Path, mut target_of: impl FnMut(&Path) -> Option<PathBuf>) -> PathBuf {
    let mut todo: Vec<OsString> = parts(path);
    let mut real = PathBuf::from("/");
    if cfg!(windows) {
        return std::fs::canonicalize(path).unwrap_or_else(|_| lexical(path));
    }
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(&part);
        if part == "cwd" && real.starts_with("/proc") {
            real = cwd.to_owned();
            continue;
        }
        if links < MAX_LINKS
            && let Some(target) = target_of(&real)
        {
            links += 1;
            real.pop();
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            todo.extend(parts(&target));
        }
    }
    real
}

/// The names of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    let mut parts: Vec<_> = path.components().filter_map(name).collect();
    parts.reverse();
    parts
}

/// The names of a path as they are compared.
pub(super) fn folded(path: &Path) -> Vec<String> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(fold(&name.to_string_lossy())),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

/// A text as names are compared: file systems may not tell case apart, may ignore marks without width, and Windows drops
/// dots and spaces at the end. To see too much alike asks once too often.
pub(crate) fn fold(name: &str) -> String {
    // Most names are what they would become, and this is asked of hundreds in each process.
    let as_it_is =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    let dots = |byte: u8| as_it_is(byte) || byte == b'.';
    if name.bytes().all(dots) && name.bytes().next_back().is_some_and(as_it_is) {
        return name.to_owned();
    }
    let ignored = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}');
    let lower: String = name.chars().filter(|c| !ignored(*c)).flat_map(char::to_lowercase).collect();
    // `ſ` and `K` are letters that some file systems take for `s` and `k`.
    let plain = lower.replace('\u{17f}', "s").replace('\u{212a}', "k");
    let trimmed = plain.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { plain } else { trimmed.to_owned() }
}

/// The text of a `file://` address, else the text itself.
pub(super) fn from_uri(text: &str) -> String {
    let Some(rest) = text.strip_prefix("file://") else { return text.to_owned() };
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((&byte, tail)) = left.split_first() {
        let code = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                left = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(byte);
                left = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
