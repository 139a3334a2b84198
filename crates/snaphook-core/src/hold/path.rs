//! Paths and programs of a directive, as they are written. Not here: the directive.

use std::fmt;

/// A path, as it was written: relative to a base, without `.` and `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HoldPath {
    /// The base that it is relative to.
    pub base: HoldBase,
    /// The names below the base, with slashes between; empty for the base itself.
    pub path: String,
}

/// The base of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldBase {
    /// The root of the file system, `/…`.
    Root,
    /// The person's home folder, `~/…`.
    Home,
    /// The working directory of the call.
    Cwd,
}

/// A program that may not be run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HoldProgram {
    /// A name, in each folder where programs are looked up.
    Name(String),
    /// One file.
    Path(HoldPath),
}

/// The reason why a path cannot be held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HoldPathError {
    /// The text is empty.
    #[error("is not a path: expected `~/…`, `/…`, or a path relative to the working directory of the call")]
    Empty,
    /// A pattern.
    #[error(
        "is a pattern; the kernel holds paths: name the file or its folder, and write `\\{0}` if the name has that character"
    )]
    Pattern(char),
    /// It has a `..`.
    #[error("climbs with `..`; write the path that it leads to")]
    Climbs,
    /// It begins with `~name`.
    #[error("names another person's home folder; write the whole path, or `./{0}` for a file of that name")]
    OtherHome(String),
    /// It begins with `$`.
    #[error(
        "begins with a variable, which is not looked up; write `~/` or the whole path, or `./{0}` for a file of that name"
    )]
    Variable(String),
    /// It begins with a drive's letter.
    #[error("begins with a drive; write it relative to the working directory or to `~/`")]
    Drive,
    /// It has a NUL byte.
    #[error("has a NUL byte; no file has such a name")]
    Nul,
    /// It ends with a backslash that escapes nothing.
    #[error("ends with a single `\\`; write `\\\\` for a backslash")]
    LoneEscape,
}

impl HoldPath {
    /// Reads a path. `*`, `?` and `[` are written with a backslash before them if the name has them.
    ///
    /// # Errors
    /// The path cannot be held.
    pub fn parse(text: &str) -> Result<Self, HoldPathError> {
        let (base, rest) = match text {
            "" => return Err(HoldPathError::Empty),
            "~" => (HoldBase::Home, ""),
            _ => match (text.strip_prefix("~/"), text.strip_prefix('/')) {
                (Some(rest), _) => (HoldBase::Home, rest),
                (None, Some(rest)) => (HoldBase::Root, rest),
                (None, None) if text.starts_with('~') => {
                    return Err(HoldPathError::OtherHome(text.to_owned()));
                }
                (None, None) if text.starts_with('$') => {
                    return Err(HoldPathError::Variable(text.to_owned()));
                }
                (None, None) if is_drive(text) => return Err(HoldPathError::Drive),
                (None, None) => (HoldBase::Cwd, text),
            },
        };
        let mut names = Vec::new();
        for name in rest.split('/') {
            match name {
                "" | "." => {}
                ".." => return Err(HoldPathError::Climbs),
                name => names.push(unescaped(name)?),
            }
        }
        Ok(HoldPath { base, path: names.join("/") })
    }
}

/// A name without the backslashes before characters that patterns have.
fn unescaped(name: &str) -> Result<String, HoldPathError> {
    let mut plain = String::with_capacity(name.len());
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.push(chars.next().ok_or(HoldPathError::LoneEscape)?),
            '*' | '?' | '[' => return Err(HoldPathError::Pattern(c)),
            '\0' => return Err(HoldPathError::Nul),
            _ => plain.push(c),
        }
    }
    // An escaped dot is one all the same to the kernel.
    match plain.as_str() {
        ".." | "." => Err(HoldPathError::Climbs),
        _ if plain.contains('\0') => Err(HoldPathError::Nul),
        _ => Ok(plain),
    }
}

/// Returns whether a relative path would be read as something else.
fn is_special(path: &str) -> bool {
    path.starts_with(['~', '$']) || is_drive(path)
}

fn is_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && chars.next().is_none_or(|c| matches!(c, '/' | '\\'))
}

impl fmt::Display for HoldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.path.chars().next();
        f.write_str(match self.base {
            HoldBase::Root => "/",
            HoldBase::Home if first.is_none() => "~",
            HoldBase::Home => "~/",
            HoldBase::Cwd if first.is_none() => ".",
            HoldBase::Cwd if is_special(&self.path) => "./",
            HoldBase::Cwd => "",
        })?;
        escaped(&self.path, f)
    }
}

/// Writes names with a backslash before characters that patterns have.
fn escaped(names: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for c in names.chars() {
        f.write_str(if matches!(c, '*' | '?' | '[' | '\\') { "\\" } else { "" })?;
        write!(f, "{c}")?;
    }
    Ok(())
}

impl HoldProgram {
    /// Reads a program: a name that is looked up, or a path if it has a slash.
    ///
    /// # Errors
    /// The entry names no program.
    pub fn parse(text: &str) -> Result<Self, HoldPathError> {
        let path = HoldPath::parse(text)?;
        if text.contains('/') || path.base != HoldBase::Cwd || path.path.is_empty() {
            Ok(HoldProgram::Path(path))
        } else {
            Ok(HoldProgram::Name(path.path))
        }
    }
}

impl fmt::Display for HoldProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HoldProgram::Path(path) => {
                let text = path.to_string();
                // Without a slash it would be a name that is looked up.
                f.write_str(if path.base == HoldBase::Cwd && !text.contains('/') { "./" } else { "" })?;
                f.write_str(&text)
            }
            // With a backslash: `./` before it would make a path of it.
            HoldProgram::Name(name) => {
                f.write_str(if is_special(name) { "\\" } else { "" })?;
                escaped(name, f)
            }
        }
    }
}
