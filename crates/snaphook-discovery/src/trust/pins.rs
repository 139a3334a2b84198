//! Decisions that are on a command line or in a file beside it: `NAME=sha256:…`. Not here: which hook a name means.

use std::fmt;

use super::hash::ContentHash;
use crate::display::quoted;

/// A hook that is trusted with this content, and no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The hook's name.
    pub name: String,
    /// The content.
    pub hash: ContentHash,
}

/// All that were given. A hook that one of them names is trusted by them alone: with another content it is undecided,
/// whatever the trust store says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pins(pub Vec<Pin>);

/// A text that is no pin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPin(String);

impl Pin {
    /// Reads `NAME=sha256:…`.
    ///
    /// # Errors
    /// There is no name, or no hash.
    pub fn parse(text: &str) -> Result<Self, BadPin> {
        let wrong = |why: &str| {
            let shown = quoted(text);
            BadPin(format!(
                "\"{shown}\" {why}; expected NAME=sha256:…, as `snaphook trust --print` prints it"
            ))
        };
        let Some((name, hash)) = text.rsplit_once('=') else { return Err(wrong("has no hash")) };
        if name.is_empty() {
            return Err(wrong("names no hook"));
        }
        let hash = hash.parse().map_err(|_| wrong("has an invalid hash"))?;
        Ok(Pin { name: name.to_owned(), hash })
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.hash)
    }
}

impl Pins {
    /// Reads a file's text: a pin a line; empty lines and those that begin with `#` say nothing.
    ///
    /// # Errors
    /// The first invalid line, with its number.
    pub fn read(text: &str) -> Result<Self, (usize, BadPin)> {
        let lines = text.lines().map(str::trim).zip(1..);
        let pins = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        pins.map(|(line, at)| Pin::parse(line).map_err(|bad| (at, bad))).collect::<Result<_, _>>().map(Pins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_pin_a_line() {
        let hash = format!("sha256:{}", "0a".repeat(32));
        let pins = Pins::read(&format!("# ours\n\n  guard={hash}  \r\na=b.lua={hash}\n")).unwrap();
        assert_eq!(pins.0.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>(), ["guard", "a=b.lua"]);
        assert_eq!(pins.0[0].to_string(), format!("guard={hash}"));
    }

    #[test]
    fn what_is_no_pin_is_told_with_its_line() {
        let hash = format!("sha256:{}", "0a".repeat(32));
        for (text, line, why) in [
            ("guard", 1, "\"guard\" has no hash"),
            ("\n=sha256:00", 2, "names no hook"),
            ("guard=sha256:00", 1, "has an invalid hash"),
            (&format!("a={hash}\nguard={}", &hash[7..]), 2, "has an invalid hash"),
        ] {
            let (at, bad) = Pins::read(text).unwrap_err();
            assert_eq!(at, line, "{text}");
            assert!(bad.to_string().contains(why), "{bad}");
        }
    }
}
