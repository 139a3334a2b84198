//! The content hash of a hook: what trust is by, and what the audit names. Not here: who trusts it.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::candidate::Candidate;

/// Comes before everything that is hashed, so that no other use of SHA-256 gives the same value for other content. The
/// number changes with the encoding.
const DOMAIN: &[u8] = b"snaphook hook content 1\n";

/// SHA-256 over every file of a hook. Written `sha256:` and 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of files by relative path. Each path and each content is behind its length in bytes (64 bits, big
    /// endian), the number of files before all, so that no two hooks have the same encoding.
    pub fn of(files: &BTreeMap<String, Arc<[u8]>>) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(DOMAIN);
        hasher.update((files.len() as u64).to_be_bytes());
        for (path, bytes) in files {
            hasher.update((path.len() as u64).to_be_bytes());
            hasher.update(path.as_bytes());
            hasher.update((bytes.len() as u64).to_be_bytes());
            hasher.update(bytes);
        }
        ContentHash(hasher.finalize().into())
    }

    /// The digits without the name of the algorithm.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

/// Bytes as lowercase hexadecimal digits. By hand: to format each byte takes a hundred times as long, and a process for one event
/// names each of its hooks so.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Candidate {
    /// The hash of what was read, and so of what runs: every file of the hook with its path in the hook's folder, the
    /// front matter with its grants included.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(&self.raw)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is `sha256:` and 64 hexadecimal digits")]
pub struct NoHash;

impl FromStr for ContentHash {
    type Err = NoHash;

    fn from_str(text: &str) -> Result<Self, NoHash> {
        let digits = text.strip_prefix("sha256:").ok_or(NoHash)?.as_bytes();
        let (pairs, rest) = digits.as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(NoHash);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(ContentHash(bytes))
    }
}

fn digit(c: u8) -> Result<u8, NoHash> {
    let value = char::from(c).to_digit(16).ok_or(NoHash)?;
    u8::try_from(value).map_err(|_| NoHash)
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(files: &[(&str, &str)]) -> ContentHash {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Arc::from(text.as_bytes())));
        ContentHash::of(&files.collect())
    }

    #[test]
    fn each_byte_and_each_boundary_counts() {
        let all = [
            hash(&[]),
            hash(&[("a", "")]),
            hash(&[("", "a")]),
            hash(&[("a", "b")]),
            hash(&[("ab", "")]),
            hash(&[("a", "b"), ("c", "d")]),
            hash(&[("a", "bcd")]),
            hash(&[("a", "d"), ("c", "b")]),
            hash(&[("a", "b\n")]),
            hash(&[("A", "b")]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| other != one), "{at}");
        }
    }

    #[test]
    fn digits_are_those_of_the_standard_library() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(hex(&all), all.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        assert_eq!(hex(&[]), "");
    }

    /// Hashes are in people's CI files: this one must never change.
    #[test]
    fn the_encoding_stays() {
        let files = [("init.lua", "return 1\n"), ("lib/a.lua", "")];
        assert_eq!(
            hash(&files).to_string(),
            "sha256:24df2e3585e710e514a9bbf077ee83d69eff10700cfc7e827acf704db9eb96f6"
        );
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        let one = hash(&[("a", "b")]);
        assert_eq!(one.to_string().parse(), Ok(one));
        assert_eq!(one.to_string().to_uppercase().replace("SHA256", "sha256").parse(), Ok(one));
        let text = one.to_string();
        for wrong in
            ["", "sha256:", "sha512:00", &text[..70], &format!("{text}0"), &text.replace("sha256:", "")]
        {
            assert_eq!(wrong.parse::<ContentHash>(), Err(NoHash), "{wrong}");
        }
        assert_eq!(text.replacen(':', ":+", 1)[..71].parse::<ContentHash>(), Err(NoHash));
    }
}
