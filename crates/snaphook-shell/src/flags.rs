//! Whether a command has a flag: bundled, separate, long, abbreviated, or perhaps.

use super::{Command, Why, Word, programs};

/// The answer for one flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlagMatch {
    /// It is not there.
    No,
    /// An argument that is not known may hold it.
    Maybe,
    /// It is there.
    Yes,
}

impl Command {
    /// Returns whether the command has every one of `flags`, each a letter (`"r"`) or a long name (`"recursive"`), with or
    /// without dashes. A flag that an unknown argument may hold counts as there: a gate that asks is closed.
    #[must_use]
    pub fn has_flags(&self, flags: &[&str]) -> bool {
        flags.iter().all(|flag| self.flag(flag) != FlagMatch::No)
    }

    /// Returns whether the command has one flag.
    #[must_use]
    pub fn flag(&self, flag: &str) -> FlagMatch {
        let flag = flag.trim_start_matches('-');
        let synonyms = synonyms(self);
        let mut letters: Vec<char> = Vec::new();
        let mut longs: Vec<&str> = Vec::new();
        let mut given = flag.chars();
        match (given.next(), given.next()) {
            (None, _) => return FlagMatch::No,
            (Some(letter), None) => {
                letters.push(letter);
                for (same, long) in synonyms.iter().filter(|(same, _)| same.contains(letter)) {
                    letters.extend(same.chars());
                    longs.push(long);
                }
            }
            _ => {
                longs.push(flag);
                for (same, _) in synonyms.iter().filter(|(_, long)| *long == flag) {
                    letters.extend(same.chars());
                }
            }
        }
        let mut found = FlagMatch::No;
        for arg in &self.args {
            let Word::Known(text) = arg else {
                if may_be_flag(arg) {
                    found = FlagMatch::Maybe;
                }
                continue;
            };
            if text == "--" {
                break;
            }
            if is_flag(text, &letters, &longs, &synonyms) {
                return FlagMatch::Yes;
            }
        }
        found
    }
}

/// Letters that mean the same to a command, and the long name for it.
fn synonyms(command: &Command) -> Vec<(&'static str, &'static str)> {
    let program = command.name.known().and_then(programs::find);
    let synonyms = program.map_or(&[][..], |program| program.synonyms);
    synonyms.iter().filter_map(|synonym| synonym.split_once('=')).collect()
}

fn is_flag(text: &str, letters: &[char], longs: &[&str], synonyms: &[(&str, &str)]) -> bool {
    let Some(body) = text.strip_prefix('-').filter(|body| !body.is_empty()) else { return false };
    if let Some(long) = body.strip_prefix('-') {
        let name = long.split('=').next().unwrap_or_default();
        return longs.iter().any(|wanted| {
            let others = || synonyms.iter().map(|(_, other)| *other).filter(|other| other != wanted);
            // an abbreviation, unless it is another option in full
            *wanted == name
                || (!name.is_empty() && wanted.starts_with(name) && !others().any(|other| other == name))
        });
    }
    // `-delete`, as find and some others write long flags
    longs.contains(&body)
        || body.split('=').next().is_some_and(|body| body.chars().any(|c| letters.contains(&c)))
}

/// Returns whether an unknown word may turn out to be a flag. A pattern may if it could match a file called `-rf`.
fn may_be_flag(word: &Word) -> bool {
    let Word::Unknown { text, prefix, why, many } = word else { return false };
    match why {
        Why::Tilde => false,
        Why::Glob if prefix.is_empty() => {
            text.chars().all(|c| matches!(c, '*' | '?' | '[' | ']' | '!' | '-'))
        }
        Why::Glob => prefix.starts_with('-'),
        Why::Expansion => *many || prefix.is_empty() || prefix.starts_with('-'),
    }
}
