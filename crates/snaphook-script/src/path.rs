//! `snaphook.path`: paths as text. Nothing here looks at the disk, so a link is not followed; what a path really leads
//! to only `snaphook.fs` can tell. [`FUNCTIONS`] is the module as scripts get it: engines make it from the table.

use std::borrow::Cow;
use std::ffi::CStr;

/// A function of `snaphook.path`.
#[derive(Debug, Clone, Copy)]
pub struct PathFunction {
    /// Its name in the module.
    pub name: &'static str,
    /// Its name with the module's, as Lua writes it.
    pub full_name: &'static CStr,
    /// The function itself.
    pub function: Signature,
}

/// A function, by the number of texts that it takes.
#[derive(Debug, Clone, Copy)]
pub enum Signature {
    /// Takes one text.
    OneText(for<'a> fn(&'a str) -> PathValue<'a>),
    /// Takes two texts.
    TwoTexts(for<'a> fn(&'a str, &'a str) -> PathValue<'a>),
    /// Joins any number of texts, from the first on.
    Joining(fn(&str, &str) -> String),
}

/// The value that a function gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathValue<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// Nothing.
    Nothing,
}

impl<'a> From<&'a str> for PathValue<'a> {
    fn from(text: &'a str) -> Self {
        PathValue::Text(Cow::Borrowed(text))
    }
}

impl From<String> for PathValue<'_> {
    fn from(text: String) -> Self {
        PathValue::Text(Cow::Owned(text))
    }
}

impl From<Option<String>> for PathValue<'_> {
    fn from(text: Option<String>) -> Self {
        text.map_or(PathValue::Nothing, PathValue::from)
    }
}

impl From<bool> for PathValue<'_> {
    fn from(flag: bool) -> Self {
        PathValue::Flag(flag)
    }
}

macro_rules! functions {
    ($($name:literal: $function:expr,)*) => {
        &[$(PathFunction {
            name: $name,
            full_name: match CStr::from_bytes_with_nul(concat!("snaphook.path.", $name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"snaphook.path",
            },
            function: $function,
        }),*]
    };
}

/// The functions of the module. A row here is a function in each language.
pub const FUNCTIONS: &[PathFunction] = functions! {
    "basename": Signature::OneText(|path| basename(path).into()),
    "dirname": Signature::OneText(|path| dirname(path).into()),
    "extension": Signature::OneText(|path| extension(path).into()),
    "normalize": Signature::OneText(|path| normalize(path).into()),
    "join": Signature::Joining(join),
    "resolve": Signature::TwoTexts(|base, path| resolve(base, path).into()),
    "relative": Signature::TwoTexts(|path, base| relative(path, base).into()),
    "is_inside": Signature::TwoTexts(|path, folder| is_inside(path, folder).into()),
    "is_absolute": Signature::OneText(|path| is_absolute(path).into()),
};

/// Returns whether the path starts at the root.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || (cfg!(windows) && std::path::Path::new(path).is_absolute())
}

/// Joins two paths; an absolute second one stands alone.
pub fn join(base: &str, path: &str) -> String {
    if is_absolute(path) || base.is_empty() {
        return path.to_owned();
    }
    format!("{}/{path}", base.trim_end_matches('/'))
}

/// The path without `.`, `..`, doubled and trailing slashes. `..` that leads above the root stays at the root; one that
/// leads above a relative path's start is kept.
pub fn normalize(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    match (absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}

/// The normal form of `path` as seen from the folder `base`.
pub fn resolve(base: &str, path: &str) -> String {
    normalize(&join(base, path))
}

/// The last part; empty for the root.
pub fn basename(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// All but the last part.
pub fn dirname(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        Some(0) => "/",
        Some(at) => &trimmed[..at],
        None if path.starts_with('/') => "/",
        None => ".",
    }
}

/// Returns what follows the last dot of the last part, without the dot; empty where there is none.
pub fn extension(path: &str) -> &str {
    let name = basename(path);
    match name.rfind('.') {
        Some(at) if at > 0 => &name[at + 1..],
        _ => "",
    }
}

/// Returns whether `path` is `folder` or lies in it, both taken in their normal form.
pub fn is_inside(path: &str, folder: &str) -> bool {
    relative(path, folder).is_some_and(|rest| !rest.starts_with("../") && rest != "..")
}

/// `path` as seen from `base`; `None` where one is absolute and the other is not.
pub fn relative(path: &str, base: &str) -> Option<String> {
    let (path, base) = (normalize(path), normalize(base));
    if is_absolute(&path) != is_absolute(&base) {
        return None;
    }
    let split = |text: &str| -> Vec<String> {
        text.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
    };
    let (path, base) = (split(&path), split(&base));
    let shared = path.iter().zip(&base).take_while(|(a, b)| a == b).count();
    if base.iter().skip(shared).any(|part| part == "..") {
        return None;
    }
    let up = std::iter::repeat_n("..".to_owned(), base.len() - shared);
    let parts: Vec<String> = up.chain(path.into_iter().skip(shared)).collect();
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// The form in which names are compared for safety: file systems may ignore case and marks without
/// width, and Windows drops dots and spaces at the end. May take two names for one, never one for two.
pub fn fold(name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_are_text() {
        for (path, normal, name, folder, ext) in [
            ("a/b/../c.txt", "a/c.txt", "c.txt", "a/b/..", "txt"),
            ("/a//b/./", "/a/b", ".", "/a//b", ""),
            ("/../..", "/", "..", "/..", ""),
            ("../x", "../x", "x", "..", ""),
            ("a/..", ".", "..", "a", ""),
            (".env", ".env", ".env", ".", ""),
            ("", ".", "", ".", ""),
            ("/", "/", "", "/", ""),
        ] {
            assert_eq!(
                (normalize(path).as_str(), basename(path), dirname(path)),
                (normal, name, folder),
                "{path}"
            );
            if !path.ends_with('.') && !path.ends_with("./") {
                assert_eq!(extension(path), ext, "{path}");
            }
        }
        assert_eq!(resolve("/p", "../q"), "/q");
        assert_eq!(relative("/p/a/b", "/p/c").as_deref(), Some("../a/b"));
        assert_eq!(relative("/p", "/p").as_deref(), Some("."));
        assert_eq!(relative("a", "/p"), None);
        assert!(is_inside("/p/a/../b", "/p"));
        assert!(is_inside("/p", "/p"));
        assert!(!is_inside("/p/../q", "/p"));
        assert!(!is_inside("/pq", "/p"));
        assert!(!is_inside("../p", "."));
    }

    proptest! {
        #[test]
        fn the_normal_form_is_its_own(path in "[a./]{0,12}") {
            let normal = normalize(&path);
            prop_assert_eq!(normalize(&normal), normal.clone());
            prop_assert_eq!(is_absolute(&normal), is_absolute(&path));
        }

        #[test]
        fn relative_leads_back(path in "/[ab./]{0,10}", base in "/[ab./]{0,10}") {
            let rest = relative(&path, &base);
            prop_assert_eq!(rest.map(|rest| resolve(&normalize(&base), &rest)), Some(normalize(&path)));
        }
    }
}
